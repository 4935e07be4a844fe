"""Fourier transforms: pairs of them undo each other, and say which waves are in a signal."""
import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0])
print(torch.fft.fft(x))
print(torch.fft.ifft(torch.fft.fft(x)).real)
print(torch.fft.rfft(x), torch.fft.irfft(torch.fft.rfft(x)))
print(torch.fft.fft(torch.tensor([1, 0, 2])))
print(torch.fft.fft(x, n=6), torch.fft.fft(x, n=2))
for norm in ("backward", "ortho", "forward"):
    print(norm, torch.fft.fft(x, norm=norm), torch.fft.ifft(x, norm=norm))
print(torch.fft.hfft(x), torch.fft.ihfft(torch.tensor([3.0, 1.0, 0.0, 1.0])))
m = torch.arange(6.0).reshape(2, 3)
print(torch.fft.fft2(m).shape, torch.fft.fft2(m)[0])
print(torch.fft.fft(m, dim=0))
print(torch.fft.rfftn(m).shape, torch.allclose(torch.fft.irfftn(torch.fft.rfftn(m), s=m.shape), m))
print(torch.fft.fftfreq(5), torch.fft.rfftfreq(6, d=0.5))
print(torch.fft.fftshift(torch.arange(5)), torch.fft.ifftshift(torch.arange(5)))
print(torch.fft.fftshift(m))

t = torch.arange(64, dtype=torch.float64) / 64
wave = torch.sin(2 * torch.pi * 5 * t) + 0.5 * torch.cos(2 * torch.pi * 12 * t)
strength = torch.fft.rfft(wave).abs() / 32
print(strength.topk(2))
line = torch.randn(37, dtype=torch.float64)
print(torch.allclose(torch.fft.ifft(torch.fft.fft(line)).real, line))

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
spectrum = torch.fft.rfft(w)
print(spectrum.grad_fn.name(), torch.fft.fft2(m.clone().requires_grad_()).grad_fn.name())
(spectrum.abs() ** 2).sum().backward()
print(w.grad)

tone = torch.sin(torch.arange(400) * 0.3)
pieces = torch.stft(tone, n_fft=32, hop_length=8, window=torch.hann_window(32), return_complex=True)
print(pieces.shape, pieces.dtype, pieces.abs().mean(1).argmax().item(), pieces[:, 10].abs().argmax().item())
back = torch.istft(pieces, n_fft=32, hop_length=8, window=torch.hann_window(32), length=400)
print(torch.allclose(back, tone, atol=1e-5))
for call in (lambda: torch.fft.fft(x, n=0), lambda: torch.fft.rfft(x + 1j), lambda: torch.fft.fft(x, norm="half"),
             lambda: torch.fft.fft(x, dim=2), lambda: torch.stft(tone, 32)):
    try:
        call()
    except Exception as e:
        print(type(e).__name__, e)
