# The page's own words, English. Short; what happened and what to do next.
brand = Rushlight
brand-line = PyTorch in a browser tab
skip-to-lesson = Skip to the lesson
retry = Try again

# Contents and navigation
contents = Contents
contents-show = Show contents
contents-hide = Hide contents
all-lessons = All lessons
lesson-number = Lesson { $number }
minutes = { $minutes } min
lesson-progress = { $passed } of { $total } passed
lesson-done = Done
ways = Lessons before and after
next-lesson = Next
previous-lesson = Previous
start-course = Start
continue-course = Continue
goals = After this lesson you can
lesson-complete = All exercises passed.
lesson-open = { $passed } of { $total } exercises passed.
last-lesson = That was the last lesson.
loading-lesson = Fetching the lesson
not-found-title = There is no such lesson
not-found-text = The address names a lesson this site does not have.
fetch-failed-title = The lesson did not arrive
fetch-failed-text = { $file } could not be fetched ({ $reason }). Check the connection, then try again.
no-courses = This site has no courses yet. Put a course folder beside the page and list it in courses.json.
lesson-broken-title = This lesson has mistakes in its file
lesson-broken-text = Whoever wrote it can mend them as follows; the other lessons still work.
other-language = This lesson is not there in your language yet.

# The runtime
runtime = Python
runtime-loading = Fetching Python
runtime-loading-percent = Fetching Python { $percent } %
runtime-loading-detail = { $received } of { $total } MB
runtime-loading-detail-unknown = { $received } MB so far
runtime-starting = Starting Python
runtime-ready = Ready
runtime-running = Running { $seconds } s
runtime-stopping = Stopping
runtime-failed = Python did not start
runtime-failed-download = Its file did not arrive whole. Your work is safe; you can read and edit meanwhile.
runtime-failed-crash = It ended several times in a row. Your work is safe. Reset the last cell if this goes on.
runtime-failed-version = Page and runtime are of different versions. Reload the page to get matching ones.
runtime-reload = Reload the page
runtime-reason = The browser says: { $message }
runtime-python = Python { $version }
runtime-torch = Follows PyTorch { $version }
runtime-start = Started in { $seconds } s
runtime-about = It runs in this tab, on this computer. Nothing is sent anywhere.
no-jspi-title = Stop works differently in this browser
no-jspi-text = It lacks JavaScript Promise Integration, so Stop has to restart Python: the names you defined are gone then, your text stays. Everything else works as usual.
understood = Understood

# The device
device = Device
device-cpu = CPU
device-cpu-detail = Tensors are computed on the processor.
device-gpu = GPU
device-gpu-named = GPU: { $name }
gpu-use = Use the GPU
gpu-how = Programs find it as "cuda"; tensors they do not put there stay on the processor.
gpu-software = In this browser the processor plays the GPU: right results, but slow.
gpu-off = The GPU is off. The device at the top of the page switches it on.
gpu-absent = No GPU for this run: { $reason }.
gpu-none-insecure = No GPU: browsers give it only to pages from https or from this computer.
gpu-none-webgpu = No GPU: this browser has no WebGPU here.
gpu-none-jspi = No GPU: this browser lacks JavaScript Promise Integration, so Python cannot wait for one.
gpu-none-adapter = No GPU: this browser offers none on this computer.
gpu-last = The last run there
gpu-kernels = { $count ->
    [one] 1 kernel
   *[other] { $kernels } kernels
 }
gpu-read = { $size } read back
gpu-time = { $time } on the device
gpu-fallbacks = { $count ->
    [one] 1 op on the CPU: { $names }
   *[other] { $count } ops on the CPU: { $names }
 }
gpu-memory = { $live } in use, { $kept } kept for the next tensors
gpu-largest = Largest tensor { $size }
gpu-cell-off = This cell is made for a GPU, which is off; it runs on the CPU.
gpu-cell-none = This cell is made for a GPU; it runs on the CPU here.

# Saving
saved = Saved
saved-detail = Your texts and progress are kept in this browser.
saving = Saving
unsaved = Not saved
unsaved-detail = This browser keeps nothing for this page. Copy what you want to keep before you close the tab.

# Settings
settings = Settings
theme = Colours
theme-auto = As the system
theme-light = Light
theme-dark = Dark
language = Language
erase = Erase progress
erase-detail = Forgets every text and every passed exercise kept in this browser.
erase-confirm = Erase everything
erase-cancel = Keep it
keys = Keys
keys-run = Run the cell
keys-indent = Indent, unindent
keys-leave = Leave the editor
keys-comment = Comment or uncomment

# Cells
example = Example
exercise = Exercise
cell-label = { $kind } { $number }
editor-label = { $kind } { $number }, Python text
given = Given
given-detail = runs before your text; other values are tried too
run = Run
run-check = Run and check
stop = Stop
reset = Reset
reset-detail = Put the original text back
undo = Undo
reset-done = The original text is back.
copied-solution = The solution is in the cell.
state-waiting = Waiting for Python
state-waiting-turn = Waiting for its turn
state-running = Running
state-running-seconds = Running { $seconds } s
state-stopping = Stopping
state-done = Done in { $seconds } s
state-failed = Error
state-stopped = Stopped
state-passed = Passed
state-unpassed = { $passed } of { $total } checks pass
cell-stopped = Stopped after { $seconds } s. Names defined so far are still there.
cell-stopped-restarted = It did not answer, so Python was restarted. Your text is all here; names from earlier cells are gone. Run those cells again if you need them.
cell-crashed = Python ended unexpectedly and was restarted. Your text is all here; names from earlier cells are gone.
cell-cancelled = Taken out of the queue.
cell-no-output = It ran and printed nothing.
output = Output
output-cut = The output is longer than a page should hold. The middle, { $count } characters, is left out.
figure = Figure

# Errors
error-go = Go to line { $line }
error-trace = Traceback

# Checks and help
checks = Checks
check-passed = Passed
check-failed = Not yet
checks-all = All checks pass, with fresh random inputs too.
checks-none = The checks need code that runs to its end. Mend the error first.
hint = Hint
hint-first = Show a hint
hint-next = Next hint
hint-number = Hint { $number } of { $total }
solution = Solution
solution-show = Show the solution
solution-hide = Hide the solution
solution-ask = You have not run this exercise yet. A try of your own teaches more.
solution-anyway = Show it anyway
solution-later = Keep trying
solution-copy = Put it in the cell

# Names
names = Names
names-empty = Run a cell and the names it defines appear here.
names-count = Names ({ $count })
names-forget = Forget all
names-forget-detail = Delete every name of this lesson's session
name-gradient = gradient
name-leaf = leaf
name-scalar = scalar
name-strides = Strides
name-offset = Offset
name-storage = Storage
name-version = Version
name-shares = Shares memory with { $names }
name-own = Its own memory
name-history = Made by
name-writes = { $count ->
    [0] never written in place
    [one] written in place once
   *[other] written in place { $count } times
 }

# What an error means. The key is in the first part of each name.
why-blank = A blank is still open. Replace each ______ with code of your own.
why-name = Python does not know this name yet. Check its spelling, or run the cell that defines it.
why-unbound-local = This name is assigned somewhere in the function, so Python treats it as local, but it has no value yet at this line.
why-syntax = Python cannot read this line. Look for a missing bracket, quote or colon here or on the line above.
why-indentation = The spaces at the start of this line do not match the lines around it. A block is indented by four spaces.
why-type = A value of this type cannot be used here. Print type(...) of the values in this line to see what they are.
why-attribute = This object has no such attribute. Check the spelling, and what kind of object it is.
why-index = The index points past the end. Counting starts at 0, so the last element of n has index n - 1, or -1.
why-key = The dictionary has no such key. Print its keys to see which there are.
why-value = The type is right, but this value does not work here.
why-zero-division = Something is divided by zero.
why-import = This module is not available here. The lessons need only what they import themselves.
why-recursion = A function calls itself without coming to an end. Check the case that should stop it.
why-assertion = An assert found its condition false.
why-file-not-found = There is no file of this name here. Files live in this tab's memory only.
why-broadcast-mismatch = The shapes do not fit together. Line them up from the right: in each place the sizes must be equal, or one of them must be 1.
why-matmul-shapes = In a matrix product the inner sizes must agree: (n, k) times (k, m) gives (n, m). Print both shapes.
why-view-strides = These elements do not lie in memory in the order this view needs. reshape copies where it must; contiguous() makes a copy first.
why-reshape-size = A new shape must hold exactly as many elements as the old one. Multiply the sizes to compare.
why-dtype-mismatch = The two tensors hold different types of number. Convert one of them, for example with .float().
why-leaf-inplace = A leaf that requires gradients may not be changed in place while they are recorded. Update it inside torch.no_grad().
why-version-changed = A value the backward pass needs was changed in place after it was used. Make a new tensor instead of changing that one.
why-backward-twice = The graph was freed by the first backward. Compute the loss again, or pass retain_graph=True the first time.
why-backward-nonscalar = backward() starts from one number. Reduce with sum() or mean() first, or pass a gradient of the same shape.
why-no-grad = Nothing here was recorded for gradients. Create the input with requires_grad=True, and compute outside no_grad().
why-grad-needs-float = Only numbers with a fraction can have gradients. Write 1.0 instead of 1, or convert with .float().
why-numpy-grad = Detach the tensor from the graph first: x.detach().numpy().
why-item-many = item() reads exactly one number, and this tensor has several. Index one, or reduce first.
why-bool-ambiguous = An if needs one yes or no, and this tensor has several. Use .any() or .all().
why-allocation = This tensor would need more memory than there is. Check the sizes for a zero too many.
why-not-here = This part of PyTorch is not here yet. The message names what is missing.
