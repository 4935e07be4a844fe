//! What a run tells of the GPU: what it did there, or why it had none.

mod common;

use common::lab;
use rushlight_engine::backend::webgpu;
use rushlight_runtime::protocol::Gpu;

#[test]
fn a_run_tells_what_it_did_on_the_gpu() {
    lab(|lab| {
        webgpu::allow(true);
        assert_eq!(lab.run("import torch\nx = torch.ones(3)").gpu, None, "the CPU is not told of");
        let report = lab.run("y = torch.randn(100, device='webgpu') * 2\nprint(y.sum().item(), y.double().sum())");
        let Some(Gpu::Used(used)) = report.gpu else { panic!("{:?} with {:?}", report.outcome, report.gpu) };
        assert!(used.launches > 0 && used.reads > 0 && used.bytes_read >= 4, "{used:?}");
        assert!(used.live >= 400 && used.peak >= used.live && used.reserved >= used.live, "{used:?}");
        assert!(used.ms.is_none_or(|ms| ms > 0.0), "{used:?}");
        assert!(!used.fallbacks.is_empty(), "there is no float64 on a GPU: {used:?}");
        let Some(Gpu::Used(next)) = lab.run("z = (y + 1).sum().item()").gpu else { panic!("the GPU was used") };
        assert!(next.launches < 5 && next.fallbacks.is_empty(), "a run counts for itself: {next:?}");
    });
}

#[test]
fn a_run_that_asks_for_what_it_may_not_have_tells_why() {
    lab(|lab| {
        webgpu::allow(false);
        let report = lab.run("import torch\nprint(torch.cuda.is_available())");
        assert_eq!(lab.kept.out(), "False\n");
        assert_eq!(report.gpu, Some(Gpu::Absent { reason: "the GPU is switched off".to_owned() }));
        assert_eq!(lab.run("print(torch.ones(2))").gpu, None, "nobody asked");
    });
}
