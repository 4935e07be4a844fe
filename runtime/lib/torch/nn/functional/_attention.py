"""Multi-head attention, from the projections to the output."""

from torch import _C

__all__ = ["multi_head_attention_forward"]
_F = _C._functions
_N = _C._nn


def _additive(mask, name, other, dtype):
    """A mask as numbers to add to the scores: boolean True becomes -inf."""
    if mask is None:
        return None
    if mask.dtype is not _C.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if mask.dtype is _C.bool:
        return _F.zeros_like(mask, dtype=dtype).masked_fill_(mask, float("-inf"))
    return mask


def multi_head_attention_forward(
    query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn,
    dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True, attn_mask=None,
    use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None,
    static_v=None, average_attn_weights=True, is_causal=False,
):
    """Attention of `query` (L, N, E) over `key`, `value` (S, N, E): (output (L, N, E), weights (N, L, S) or None).

    Without batch dimension: (L, E), (S, E) and (L, S). `attn_mask` is (L, S) or (N * heads, L, S).
    """
    batched = _check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    source = key.shape[0]
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if width != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    head = width // num_heads
    if head * num_heads != width:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if not use_separate_proj_weight and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    key_padding_mask = _additive(key_padding_mask, "key_padding_mask", attn_mask, query.dtype)
    attn_mask = _additive(attn_mask, "attn_mask", key_padding_mask, query.dtype)
    q, k, v = _project(query, key, value, in_proj_weight, in_proj_bias, use_separate_proj_weight,
                       q_proj_weight, k_proj_weight, v_proj_weight)
    if attn_mask is not None:
        attn_mask = _mask_shape(attn_mask, length, source, batch * num_heads)
    if bias_k is not None and bias_v is not None:
        k = _F.cat([k, bias_k.repeat(1, batch, 1)])
        v = _F.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask = None if attn_mask is None else _N.pad(attn_mask, (0, 1))
        key_padding_mask = None if key_padding_mask is None else _N.pad(key_padding_mask, (0, 1))
    q = q.view(length, batch * num_heads, head).transpose(0, 1)
    k = k.view(k.shape[0], batch * num_heads, head).transpose(0, 1) if static_k is None else static_k
    v = v.view(v.shape[0], batch * num_heads, head).transpose(0, 1) if static_v is None else static_v
    if add_zero_attn:
        zero = _F.zeros((batch * num_heads, 1, head), dtype=k.dtype, device=k.device)
        k, v = _F.cat([k, zero], dim=1), _F.cat([v, zero], dim=1)
        attn_mask = None if attn_mask is None else _N.pad(attn_mask, (0, 1))
        key_padding_mask = None if key_padding_mask is None else _N.pad(key_padding_mask, (0, 1))
    source = k.size(1)
    if key_padding_mask is not None:
        for dim, want in enumerate((batch, source)):
            if key_padding_mask.shape[dim] != want:
                raise AssertionError(
                    f"Expected key_padded_mask.shape[{dim}] to be {want}, but got {key_padding_mask.shape[dim]}"
                )
        padding = key_padding_mask.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1)
        padding = padding.reshape(batch * num_heads, 1, source)
        attn_mask = padding if attn_mask is None else attn_mask + padding
    drop = dropout_p if training else 0.0
    if need_weights:
        q = q * (1.0 / head) ** 0.5
        if attn_mask is None:
            weights = _F.bmm(q, k.transpose(-2, -1))
        else:
            weights = _F.baddbmm(attn_mask, q, k.transpose(-2, -1))
        weights = weights.softmax(-1)
        if drop > 0.0:
            weights = _F.dropout(weights, drop, True)
        out = _F.bmm(weights, v).transpose(0, 1).contiguous().view(length * batch, width)
        out = _N.linear(out, out_proj_weight, out_proj_bias).view(length, batch, width)
        weights = weights.view(batch, num_heads, length, source)
        if average_attn_weights:
            weights = weights.mean(dim=1)
        if not batched:
            out, weights = out.squeeze(1), weights.squeeze(0)
        return out, weights
    if attn_mask is not None:
        if attn_mask.size(0) == 1 and attn_mask.dim() == 3:
            attn_mask = attn_mask.unsqueeze(0)
        else:
            attn_mask = attn_mask.view(batch, num_heads, -1, source)
    out = _N.scaled_dot_product_attention(
        q.view(batch, num_heads, length, head), k.view(batch, num_heads, source, head),
        v.view(batch, num_heads, source, head), attn_mask, drop, is_causal and attn_mask is None,
    )
    out = out.permute(2, 0, 1, 3).contiguous().view(length * batch, width)
    out = _N.linear(out, out_proj_weight, out_proj_bias).view(length, batch, width)
    return (out if batched else out.squeeze(1)), None


def _check(query, key, value, key_padding_mask, attn_mask, num_heads):
    """Whether there is a batch dimension; an error when the arguments do not agree about it."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
        )
    batched = query.dim() == 3
    want = 3 if batched else 2
    word = "batched" if batched else "unbatched"
    if key.dim() != want or value.dim() != want:
        raise AssertionError(
            f"For {word} ({want}-D) `query`, expected `key` and `value` to be {want}-D but found {key.dim()}-D and "
            f"{value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != want - 1:
        raise AssertionError(
            f"For {word} ({want}-D) `query`, expected `key_padding_mask` to be `None` or {want - 1}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {word} ({want}-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{attn_mask.dim()}-D tensor instead"
        )
    return batched


def _mask_shape(mask, length, source, heads):
    if mask.dim() == 2:
        if mask.shape != (length, source):
            raise RuntimeError(
                f"The shape of the 2D attn_mask is {mask.shape}, but should be {(length, source)}."
            )
        return mask.unsqueeze(0)
    if mask.shape != (heads, length, source):
        raise RuntimeError(
            f"The shape of the 3D attn_mask is {mask.shape}, but should be {(heads, length, source)}."
        )
    return mask


def _project(query, key, value, weight, bias, separate, q_weight, k_weight, v_weight):
    """Queries, keys and values; one matrix product where the inputs are the same tensor."""
    width = query.size(-1)
    if separate:
        parts = (None, None, None) if bias is None else bias.chunk(3)
        return tuple(
            _N.linear(x, w, b) for x, w, b in zip((query, key, value), (q_weight, k_weight, v_weight), parts)
        )
    if key is value and query is key:
        return tuple(part.contiguous() for part in _N.linear(query, weight, bias).chunk(3, -1))
    if key is value:
        wq, wkv = weight.split([width, 2 * width])
        bq, bkv = (None, None) if bias is None else bias.split([width, 2 * width])
        k, v = (part.contiguous() for part in _N.linear(key, wkv, bkv).chunk(2, -1))
        return _N.linear(query, wq, bq), k, v
    weights = weight.chunk(3)
    parts = (None, None, None) if bias is None else bias.chunk(3)
    return tuple(_N.linear(x, w, b) for x, w, b in zip((query, key, value), weights, parts))
