//! The GPU as programs see it. Runs with `RUSHLIGHT_DEVICE=webgpu`, where there is a GPU (or a driver that pretends to be
//! one); the expected texts are PyTorch's for a CUDA device.

mod common;

use common::{Lab, lab};
use rushlight_runtime::webgpu;

/// With a GPU, where the tests are to have one.
fn on_gpu(act: impl FnOnce(&Lab) + Send) {
    if !std::env::var("RUSHLIGHT_DEVICE").is_ok_and(|name| name == "webgpu") {
        return;
    }
    lab(|lab| {
        webgpu::allow(true);
        assert_eq!(webgpu::absence(), None, "there is no GPU to test on");
        act(lab);
    });
}

#[test]
fn training_loops_give_the_cpus_losses_and_compute_nothing_elsewhere() {
    on_gpu(|lab| {
        let out = lab.out(include_str!("webgpu/loops.py"));
        // Four losses are read in four steps, and clipping looks at no number.
        let names = ["mlp", "cnn", "norms", "gru", "lstm", "rnn", "transformer", "regression", "logistic"];
        let want: String = names.iter().map(|name| format!("{name} same {{}} reads 4\n")).collect();
        assert_eq!(out, want);
    });
}

#[test]
fn cuda_is_the_gpu_and_says_so_once() {
    on_gpu(|lab| {
        let out = lab.out(
            "import torch, sys, io\n\
             sys.stderr = io.StringIO()\n\
             x = torch.tensor([1., 2.], device='cuda')\n\
             y = torch.ones(2).cuda()\n\
             print(x, x.device, x.is_cuda, x.get_device(), x.type())\n\
             print((x + y).cpu(), torch.device('cuda'), torch.cuda.is_available(), torch.cuda.device_count())\n\
             print(torch.accelerator.current_accelerator(), torch.ones(1, device='webgpu'))\n\
             print(sys.stderr.getvalue().count('there is no CUDA here'))\n",
        );
        assert_eq!(
            out,
            "tensor([1., 2.], device='cuda:0') cuda:0 True 0 torch.cuda.FloatTensor\n\
             tensor([2., 3.]) cuda True 1\n\
             webgpu tensor([1.], device='webgpu:0')\n\
             1\n"
        );
    });
}

#[test]
fn numpys_arrays_stay_on_the_host() {
    on_gpu(|lab| {
        let out = lab.out(
            "import torch, numpy as np\n\
             torch.set_default_device('webgpu')\n\
             a = np.arange(6).reshape(2, 3) * 0.5 + np.random.default_rng(0).random(3).round()\n\
             print(a.sum(), a.std(), np.sqrt(a).max(), torch.webgpu.counts()['launches'])\n\
             print(torch.from_numpy(a).device, torch.tensor(a).device)\n\
             torch.set_default_device('cpu')\n",
        );
        // random(3) is 0.637, 0.270, 0.041: the columns are 1, 2.5; 0.5, 2; 1, 2.5.
        assert_eq!(out, "9.5 0.7861650943380503 1.5811388300841898 0\ncpu webgpu:0\n");
    });
}

#[test]
fn what_lies_apart_is_refused_in_pytorchs_words() {
    on_gpu(|lab| {
        let out = lab.out(
            "import torch\nfrom torch import nn\n\
             def tell(f):\n    try:\n        f()\n    except Exception as e:\n        print(type(e).__name__, e)\n\
             x, y = torch.ones(2, 2, device='cuda'), torch.ones(2, 2)\n\
             tell(lambda: x + y)\n\
             tell(lambda: x @ y)\n\
             tell(lambda: nn.Linear(2, 2).cuda()(y))\n\
             tell(lambda: x.numpy())\n\
             tell(lambda: y[x > 0])\n\
             tell(lambda: nn.Conv2d(1, 1, 1)(torch.ones(1, 1, 2, 2, device='cuda')))\n\
             tell(lambda: torch.ones(1, device='cuda:1'))\n",
        );
        assert_eq!(
            out,
            "RuntimeError Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!\n\
             RuntimeError Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors \
             on cuda:0 (when checking argument in method wrapper_CUDA_mm)\n\
             RuntimeError Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors \
             on cuda:0 (when checking argument in method wrapper_CUDA_addmm)\n\
             TypeError can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory \
             first.\n\
             RuntimeError indices should be either on cpu or on the same device as the indexed tensor (cpu)\n\
             RuntimeError Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same\n\
             RuntimeError CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?\n"
        );
    });
}

#[test]
fn models_states_and_files_move() {
    on_gpu(|lab| {
        let out = lab.out(
            "import torch, io\nfrom torch import nn\n\
             torch.manual_seed(0)\n\
             model = nn.Linear(2, 1).to('cuda')\n\
             opt = torch.optim.Adam(model.parameters())\n\
             model(torch.ones(1, 2, device='cuda')).sum().backward()\n\
             opt.step()\n\
             state = opt.state[model.weight]\n\
             print(model.weight.device, model.weight.grad.device, state['exp_avg'].device, state['step'].device)\n\
             file = io.BytesIO()\n\
             torch.save(model.state_dict(), file)\n\
             for where in (None, 'cpu', 'webgpu'):\n\
             \x20   file.seek(0)\n\
             \x20   found = torch.load(file, map_location=where)\n\
             \x20   print(found['weight'].device, torch.equal(found['weight'].cpu(), model.weight.detach().cpu()))\n\
             model.cpu().load_state_dict(found)\n\
             print(next(model.parameters()).device)\n\
             with torch.device('cuda'):\n\
             \x20   print(torch.zeros(1).device, torch.tensor([1]).device, nn.Linear(1, 1).weight.device)\n\
             print(torch.zeros(1).device, torch.zeros(1, device='cuda').new_zeros(1).device)\n",
        );
        assert_eq!(
            out,
            "cuda:0 cuda:0 cuda:0 cpu\ncuda:0 True\ncpu True\nwebgpu:0 True\ncpu\ncuda:0 cuda:0 cuda:0\ncpu cuda:0\n"
        );
    });
}

#[test]
fn random_numbers_are_those_of_the_cpu() {
    on_gpu(|lab| {
        let out = lab.out(
            "import torch\n\
             def draws(device):\n\
             \x20   torch.manual_seed(42)\n\
             \x20   a = torch.randn(20, device=device)\n\
             \x20   b = torch.rand(3, 3, device=device)\n\
             \x20   c = torch.randint(0, 9, (5,), device=device)\n\
             \x20   d = torch.nn.functional.dropout(torch.ones(8, device=device))\n\
             \x20   return [x.cpu().tolist() for x in (a, b, c, d, torch.randperm(6, device=device))]\n\
             print(draws('cpu') == draws('cuda'))\n",
        );
        assert_eq!(out, "True\n");
    });
}

#[test]
fn a_lost_device_is_an_error_and_the_session_goes_on() {
    on_gpu(|lab| {
        lab.out("import torch\nkept = 5\nx = torch.ones(3, device='webgpu')\nprint(x.sum().item())\n");
        lab.out("torch.webgpu.destroy()\n");
        let error = lab.error("print(x.sum().item())\n");
        assert_eq!(error.class, "RuntimeError");
        assert!(error.message.starts_with("the GPU device was lost"), "{}", error.message);
        lab.kept.out();
        assert_eq!(lab.out("print(kept, torch.ones(2, device='webgpu').sum().item())\n"), "5 2.0\n");
    });
}

#[test]
fn memory_is_reported_and_its_end_is_an_out_of_memory_error() {
    on_gpu(|lab| {
        let out = lab.out(
            "import torch\n\
             before = torch.cuda.memory_allocated()\n\
             x = torch.zeros(1024, 256, device='cuda')\n\
             print(torch.cuda.memory_allocated() - before)\n\
             del x\n\
             print(torch.cuda.memory_allocated() - before, torch.cuda.max_memory_allocated() >= 1 << 20)\n\
             torch.webgpu.set_memory_budget(1 << 20)\n\
             try:\n\
             \x20   torch.zeros(1 << 20, device='cuda')\n\
             except torch.OutOfMemoryError as e:\n\
             \x20   print(str(e)[:54])\n\
             torch.webgpu.set_memory_budget(None)\n",
        );
        assert_eq!(out, "1048576\n0 True\nCUDA out of memory. Tried to allocate 4.00 MiB. GPU 0 \n");
    });
}

#[test]
fn autocast_is_for_the_device_it_names() {
    on_gpu(|lab| {
        let out = lab.out(
            "import torch\n\
             x, y = torch.ones(2, 2, device='cuda'), torch.ones(2, 2)\n\
             with torch.autocast('cuda'):\n\
             \x20   print((x @ x).dtype, (y @ y).dtype, torch.is_autocast_enabled())\n\
             with torch.autocast('cpu'):\n\
             \x20   print((x @ x).dtype, (y @ y).dtype)\n\
             print((x @ x).dtype)\n",
        );
        assert_eq!(out, "torch.float16 torch.float32 True\ntorch.float32 torch.bfloat16\ntorch.float32\n");
    });
}

#[test]
fn without_a_gpu_programs_are_told_so() {
    lab(|lab| {
        webgpu::allow(false);
        let out = lab.out(
            "import torch\n\
             print(torch.cuda.is_available(), torch.accelerator.is_available(), torch.accelerator.current_accelerator())\n\
             print(torch.cuda.device_count(), torch.webgpu.why_not())\n\
             try:\n\
             \x20   torch.ones(1, device='webgpu')\n\
             except RuntimeError as e:\n\
             \x20   print(e)\n",
        );
        assert_eq!(
            out,
            "False False None\n0 the GPU is switched off\nThe device 'webgpu' is not available: the GPU is switched off.\n"
        );
    });
}
