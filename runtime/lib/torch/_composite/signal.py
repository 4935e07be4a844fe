"""Short-time Fourier transforms."""

from torch import _C
from torch._composite import warn_once

_F, _N = _C._functions, _C._nn


def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect",
         normalized=False, onesided=None, return_complex=None, align_to_window=None):
    """The transforms of overlapping pieces of a signal: (…, frequencies, pieces)."""
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    onesided = not (input.is_complex() or window is not None and window.is_complex()) if onesided is None else onesided
    if return_complex is None and not (input.is_complex() or window is not None and window.is_complex()):
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release."
        )
    if window is None:
        warn_once(
            "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. "
            "Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage."
            "To suppress this warning and use a rectangular window, explicitly set "
            "`window=torch.ones(n_fft, device=<device>)`."
        )
    x = input.unsqueeze(0) if input.dim() == 1 else input
    if x.dim() != 2:
        raise RuntimeError(f"stft({_text(input)}, n_fft={n_fft}, …): expected a 1D or 2D tensor")
    if center:
        x = _N.pad(x.unsqueeze(1), (n_fft // 2, n_fft // 2), pad_mode).squeeze(1)
    if not 0 < n_fft <= x.size(1):
        raise RuntimeError(f"stft({_text(input)}, n_fft={n_fft}, …): expected 0 < n_fft <= {x.size(1)}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(f"stft({_text(input)}, n_fft={n_fft}, …): expected hop_length > 0, but got hop_length={hop}")
    if not 0 < width <= n_fft:
        raise RuntimeError(
            f"stft({_text(input)}, n_fft={n_fft}, …): expected 0 < win_length <= n_fft, but got win_length={width}"
        )
    if window is not None and (window.dim() != 1 or window.size(0) != width):
        raise RuntimeError(
            f"stft({_text(input)}, n_fft={n_fft}, …): expected a 1D window tensor of size equal to win_length={width}, "
            f"but got window with size {list(window.shape)}"
        )
    pieces = x.unfold(1, n_fft, hop)
    if window is not None or width < n_fft:
        pieces = pieces * _whole_window(window, width, n_fft, x.dtype)
    scaling = 1 if normalized else 0
    if pieces.is_complex():
        out = _F._fft_c2c(pieces, [2], scaling, True)
        out = out[..., : n_fft // 2 + 1] if onesided else out
    else:
        out = _F._fft_r2c(pieces, [2], scaling, onesided)
    out = out.transpose(1, 2)
    out = out.squeeze(0) if input.dim() == 1 else out
    return out if return_complex or return_complex is None else _F.view_as_real(out.contiguous())


def _text(input):
    kind = "Complex" * input.is_complex() + "Float" if input.element_size() in (4, 8) else "Double"
    return f"{kind}Tensor{list(input.shape)}"


def _whole_window(window, width, n_fft, dtype):
    window = _F.ones(width, dtype=dtype) if window is None else window
    left = (n_fft - width) // 2
    return _N.pad(window, (left, n_fft - width - left)) if width < n_fft else window


def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
          length=None, return_complex=False):
    """The signal whose `stft` this is: pieces added up, and divided by what the windows add up to."""
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    if return_complex:
        raise NotImplementedError("istft with return_complex=True is not available here: it gives real signals only")
    x = input.unsqueeze(0) if input.dim() == 2 else input
    onesided = x.size(1) != n_fft if onesided is None else onesided
    bins = n_fft // 2 + 1 if onesided else n_fft
    if x.size(1) != bins:
        raise RuntimeError(
            "istft expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when "
            f"onesided={onesided}, but got {x.size(1)}"
        )
    real = _F.real(_F.ones(1, dtype=x.dtype, device=x.device)).dtype
    window = _whole_window(window, width, n_fft, real)
    lines, scaling = x.transpose(1, 2), 1 if normalized else 2
    if onesided:
        pieces = _F._fft_c2r(lines, [2], scaling, n_fft)
    else:
        pieces = _F._fft_c2c(lines, [2], scaling, False).real
    pieces = pieces * window
    count = x.size(2)
    total = n_fft + hop * (count - 1)
    places = (_F.arange(count).unsqueeze(1) * hop + _F.arange(n_fft)).reshape(-1)
    signal = _F.zeros(x.size(0), total, dtype=pieces.dtype, device=pieces.device).index_add(1, places, pieces.reshape(x.size(0), -1))
    weight = _F.zeros(total, dtype=real).index_add(0, places, (window * window).expand(count, -1).reshape(-1))
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - (n_fft // 2 if center else 0)
    signal, weight = signal[:, start:end], weight[start:end]
    if weight.abs().min() < 1e-11:
        raise RuntimeError("window overlap add min: 1")
    signal = signal / weight
    if length is not None and signal.size(1) < length:
        signal = _N.pad(signal, (0, length - signal.size(1)))
    return signal.squeeze(0) if input.dim() == 2 else signal
