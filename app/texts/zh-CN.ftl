# 页面自身的文字，简体中文。简短：发生了什么，接下来做什么。
brand = Rushlight
brand-line = 浏览器标签页里的 PyTorch
skip-to-lesson = 跳到课文
retry = 再试一次

# 目录与导航
contents = 目录
contents-show = 显示目录
contents-hide = 收起目录
all-lessons = 全部课程
lesson-number = 第 { $number } 课
minutes = { $minutes } 分钟
lesson-progress = 已通过 { $passed } / { $total }
lesson-done = 已完成
ways = 前后两课
next-lesson = 下一课
previous-lesson = 上一课
start-course = 开始
continue-course = 继续
goals = 学完这一课，你能够
lesson-complete = 练习已全部通过。
lesson-open = 练习已通过 { $passed } / { $total }。
last-lesson = 这是最后一课。
loading-lesson = 正在获取课文
not-found-title = 没有这一课
not-found-text = 这个地址指向的课程在本站不存在。
fetch-failed-title = 课文没有取到
fetch-failed-text = 无法获取 { $file }（{ $reason }）。请检查网络后再试。
no-courses = 本站还没有课程。请把课程文件夹放在页面旁边，并写入 courses.json。
lesson-broken-title = 这一课的文件有错误
lesson-broken-text = 作者可按下面的说明修改；其他课程不受影响。
other-language = 这一课还没有你所选语言的版本。

# 运行环境
runtime = Python
runtime-loading = 正在获取 Python
runtime-loading-percent = 正在获取 Python { $percent } %
runtime-loading-detail = { $received } / { $total } MB
runtime-loading-detail-unknown = 已获取 { $received } MB
runtime-starting = 正在启动 Python
runtime-ready = 就绪
runtime-running = 已运行 { $seconds } 秒
runtime-stopping = 正在停止
runtime-failed = Python 没有启动
runtime-failed-download = 文件没有完整到达。你的内容都在，现在仍可阅读和编辑。
runtime-failed-crash = 它接连几次意外结束。你的内容都在。如果仍然如此，请重置最后运行的单元。
runtime-failed-version = 页面与运行环境版本不一致。重新加载页面即可一致。
runtime-reload = 重新加载页面
runtime-reason = 浏览器的说法：{ $message }
runtime-python = Python { $version }
runtime-torch = 遵循 PyTorch { $version }
runtime-start = 启动用时 { $seconds } 秒
runtime-about = 它就在这个标签页、这台电脑上运行，不向任何地方发送数据。
no-jspi-title = 在这个浏览器里，“停止”的方式不同
no-jspi-text = 它不支持 JavaScript Promise Integration，所以“停止”要重启 Python：已定义的名称会消失，你写的内容保留。其余一切照常。
understood = 知道了

# 设备
device = 设备
device-cpu = CPU
device-cpu-detail = 张量由处理器计算。
device-gpu = GPU
device-gpu-named = GPU：{ $name }
gpu-use = 使用 GPU
gpu-how = 程序里用 "cuda" 找到它；没有放上去的张量仍由处理器计算。
gpu-software = 这个浏览器由处理器模拟 GPU：结果正确，但很慢。
gpu-off = GPU 已关闭。可在页面顶部的“设备”中打开。
gpu-absent = 这次运行没有 GPU：{ $reason }。
gpu-none-insecure = 没有 GPU：浏览器只把它提供给 https 或本机的页面。
gpu-none-webgpu = 没有 GPU：这个浏览器在这里没有 WebGPU。
gpu-none-jspi = 没有 GPU：这个浏览器不支持 JavaScript Promise Integration，Python 无法等待它。
gpu-none-adapter = 没有 GPU：这个浏览器在这台电脑上没有提供。
gpu-last = 最近一次使用
gpu-kernels = { $count ->
    [one] 1 个内核
   *[other] { $kernels } 个内核
 }
gpu-read = 读回 { $size }
gpu-time = 设备计算 { $time }
gpu-fallbacks = { $count ->
    [one] 1 次运算改由 CPU：{ $names }
   *[other] { $count } 次运算改由 CPU：{ $names }
 }
gpu-memory = 占用 { $live }，另有 { $kept } 留给之后的张量
gpu-largest = 单个张量最大 { $size }
gpu-cell-off = 这个单元适合用 GPU，现在 GPU 已关闭，改由 CPU 运行。
gpu-cell-none = 这个单元适合用 GPU，这里改由 CPU 运行。

# 保存
saved = 已保存
saved-detail = 你写的内容和进度保存在这个浏览器里。
saving = 正在保存
unsaved = 未保存
unsaved-detail = 这个浏览器不为本页保存内容。关闭标签页前，请自行复制需要保留的部分。

# 设置
settings = 设置
theme = 颜色
theme-auto = 跟随系统
theme-light = 浅色
theme-dark = 深色
language = 语言
erase = 清除进度
erase-detail = 忘掉保存在这个浏览器里的全部内容和通过记录。
erase-confirm = 全部清除
erase-cancel = 保留
keys = 按键
keys-run = 运行单元
keys-indent = 缩进、取消缩进
keys-leave = 离开编辑器
keys-comment = 注释或取消注释

# 单元
example = 示例
exercise = 练习
cell-label = { $kind } { $number }
editor-label = { $kind } { $number }，Python 代码
given = 已给出
given-detail = 在你的代码之前运行；检查时也会换成别的值
run = 运行
run-check = 运行并检查
stop = 停止
reset = 重置
reset-detail = 恢复最初的代码
undo = 撤销
reset-done = 已恢复最初的代码。
copied-solution = 答案已放入单元。
state-waiting = 等待 Python
state-waiting-turn = 排队等待
state-running = 正在运行
state-running-seconds = 已运行 { $seconds } 秒
state-stopping = 正在停止
state-done = 完成，用时 { $seconds } 秒
state-failed = 出错
state-stopped = 已停止
state-passed = 已通过
state-unpassed = 检查通过 { $passed } / { $total }
cell-stopped = 运行 { $seconds } 秒后停止。到此为止定义的名称都还在。
cell-stopped-restarted = 它没有回应，所以重启了 Python。你写的内容都在；先前单元定义的名称已消失，需要时请重新运行那些单元。
cell-crashed = Python 意外结束，已经重启。你写的内容都在；先前单元定义的名称已消失。
cell-cancelled = 已从队列中取消。
cell-no-output = 已运行，没有输出。
output = 输出
output-cut = 输出太长，页面放不下。中间的 { $count } 个字符已省略。
figure = 图

# 错误
error-go = 转到第 { $line } 行
error-trace = 完整回溯

# 检查与帮助
checks = 检查
check-passed = 通过
check-failed = 尚未通过
checks-all = 检查全部通过，随机的新输入也通过。
checks-none = 代码要能运行到底才能检查。请先改正错误。
hint = 提示
hint-first = 看一条提示
hint-next = 下一条提示
hint-number = 提示 { $number } / { $total }
solution = 答案
solution-show = 看答案
solution-hide = 收起答案
solution-ask = 你还没有运行过这个练习。自己先试一次，收获更多。
solution-anyway = 还是要看
solution-later = 再试试
solution-copy = 放入单元

# 名称
names = 名称
names-empty = 运行一个单元，它定义的名称会显示在这里。
names-count = 名称（{ $count }）
names-forget = 全部忘掉
names-forget-detail = 删除本课会话中的全部名称
name-gradient = 梯度
name-leaf = 叶子
name-scalar = 标量
name-strides = 步长
name-offset = 偏移
name-storage = 存储
name-version = 版本
name-shares = 与 { $names } 共用内存
name-own = 独有的内存
name-history = 来自
name-writes = { $count ->
    [0] 从未原地写入
   *[other] 原地写入 { $count } 次
 }

# 错误的含义
why-blank = 还有空没有填。请把每个 ______ 换成你自己的代码。
why-name = Python 还不认识这个名称。请检查拼写，或先运行定义它的单元。
why-unbound-local = 函数里某处给这个名称赋了值，所以 Python 把它当作局部名称，但到这一行它还没有值。
why-syntax = Python 读不懂这一行。请看这里或上一行是否缺了括号、引号或冒号。
why-indentation = 这一行开头的空格与前后不一致。一个代码块缩进四个空格。
why-type = 这种类型的值不能用在这里。打印这一行各个值的 type(...) 看看。
why-attribute = 这个对象没有这个属性。请检查拼写，以及它究竟是什么对象。
why-index = 下标超出了末尾。计数从 0 开始，n 个元素的最后一个下标是 n - 1，也可写 -1。
why-key = 字典里没有这个键。打印它的键看看有哪些。
why-value = 类型没错，但这个值在这里行不通。
why-zero-division = 有除以零的运算。
why-import = 这里没有这个模块。课程只需要它们自己导入的模块。
why-recursion = 函数不停地调用自己。请检查让它停下来的条件。
why-assertion = assert 的条件不成立。
why-file-not-found = 这里没有这个名字的文件。文件只存在于这个标签页的内存中。
why-broadcast-mismatch = 形状对不上。从右边对齐：每个位置上的大小要相等，或其中一个是 1。
why-matmul-shapes = 矩阵乘法中间的大小要一致：(n, k) 乘 (k, m) 得 (n, m)。打印两个形状看看。
why-view-strides = 这些元素在内存中的次序不符合这个视图的要求。reshape 会在必要时复制；contiguous() 先复制一份。
why-reshape-size = 新形状的元素个数必须与原来完全相同。把各个大小相乘比较一下。
why-dtype-mismatch = 两个张量的数字类型不同。请转换其中一个，例如用 .float()。
why-leaf-inplace = 需要梯度的叶子在记录期间不能原地修改。请在 torch.no_grad() 里更新它。
why-version-changed = 反向传播需要的一个值在用过之后被原地改了。请新建一个张量，不要改它。
why-backward-twice = 计算图在第一次 backward 后已释放。请重新计算损失，或第一次就传 retain_graph=True。
why-backward-nonscalar = backward() 要从一个数开始。先用 sum() 或 mean() 归约，或传入同形状的梯度。
why-no-grad = 这里没有为梯度做记录。创建输入时写 requires_grad=True，并在 no_grad() 之外计算。
why-grad-needs-float = 只有带小数的数才能有梯度。写 1.0 而不是 1，或用 .float() 转换。
why-numpy-grad = 先把张量从计算图中分离：x.detach().numpy()。
why-item-many = item() 只读一个数，而这个张量有多个。取其中一个，或先归约。
why-bool-ambiguous = if 需要一个是或否，而这个张量有多个。请用 .any() 或 .all()。
why-allocation = 这个张量需要的内存超过了现有的。看看大小是不是多写了零。
why-not-here = PyTorch 的这一部分这里还没有。消息里写明了缺什么。
