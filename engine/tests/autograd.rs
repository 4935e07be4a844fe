//! The walk, views and in-place writes, against values derived by hand.

use rushlight_engine::autograd::{backward, grad, inplace};
use rushlight_engine::ops::{add, exp, mul, number, reshape, sum, transpose, unsqueeze};
use rushlight_engine::{Result, Tensor, autograd::grad_mode::no_grad};

fn leaf(values: &[f32], shape: &[usize]) -> Result<Tensor> {
    let t = Tensor::from_slice(values, shape)?;
    t.set_requires_grad(true)?;
    Ok(t)
}

fn total(t: &Tensor) -> Result<Tensor> {
    sum(t, &[], false, None)
}

fn grad_of(t: &Tensor) -> Vec<f32> {
    t.grad().map(|g| g.to_vec().unwrap()).unwrap_or_default()
}

#[test]
fn product_rule_and_accumulation() -> Result<()> {
    let a = leaf(&[2.0, 3.0], &[2])?;
    let b = leaf(&[5.0, 7.0], &[2])?;
    for _ in 0..2 {
        backward(&[(total(&mul(&a, &b)?)?, None)], false, false, None)?;
    }
    assert_eq!(grad_of(&a), [10.0, 14.0]);
    assert_eq!(grad_of(&b), [4.0, 6.0]);
    Ok(())
}

#[test]
fn broadcast_gradients_are_summed() -> Result<()> {
    // y[i][j] = col[i] * row[j]; dy/dcol[i] = sum of row.
    let col = leaf(&[1.0, 2.0, 3.0], &[3, 1])?;
    let row = leaf(&[10.0, 20.0], &[1, 2])?;
    backward(&[(total(&mul(&col, &row)?)?, None)], false, false, None)?;
    assert_eq!(grad_of(&col), [30.0; 3]);
    assert_eq!(grad_of(&row), [6.0; 2]);
    assert_eq!(col.grad().unwrap().shape(), [3, 1]);
    Ok(())
}

#[test]
fn second_derivative() -> Result<()> {
    // d2(x^3)/dx2 = 6x
    let x = leaf(&[2.0], &[])?;
    let y = mul(&mul(&x, &x)?, &x)?;
    let g = grad(&[(y, None)], std::slice::from_ref(&x), true, true, false)?.remove(0).unwrap();
    assert_eq!(g.to_vec::<f32>()?, [12.0]);
    let g2 = grad(&[(g, None)], &[x], false, false, false)?.remove(0).unwrap();
    assert_eq!(g2.to_vec::<f32>()?, [12.0]);
    Ok(())
}

#[test]
fn twice_backward_is_refused_only_where_something_was_saved() -> Result<()> {
    let x = leaf(&[2.0], &[])?;
    let y = mul(&x, &x)?;
    backward(&[(y.clone(), None)], false, false, None)?;
    let error = backward(&[(y, None)], false, false, None).unwrap_err().to_string();
    assert!(error.starts_with("Trying to backward through the graph a second time"), "{error}");
    let z = add(&x, &number(1)?)?;
    backward(&[(z.clone(), None)], false, false, None)?;
    backward(&[(z, None)], false, false, None)?;
    assert_eq!(grad_of(&x), [6.0]);
    Ok(())
}

#[test]
fn writing_to_a_saved_value_is_noticed() -> Result<()> {
    let w = leaf(&[1.0, 1.0], &[2])?;
    let y = exp(&w)?;
    inplace(&y, || add(&y, &number(1)?))?;
    let error = backward(&[(total(&y)?, None)], false, false, None).unwrap_err().to_string();
    assert_eq!(
        error,
        "one of the variables needed for gradient computation has been modified by an inplace operation: \
         [torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; expected version 0 instead. Hint: \
         enable anomaly detection to find the operation that failed to compute its gradient, with \
         torch.autograd.set_detect_anomaly(True, check_nan=False)."
    );
    Ok(())
}

#[test]
fn a_write_through_a_view_changes_the_history_of_its_base() -> Result<()> {
    // y = [x0, x1; x2, x3]; y.t()[..] *= 3 in place: dy/dx = 3 everywhere.
    let x = leaf(&[1.0, 2.0, 3.0, 4.0], &[2, 2])?;
    let y = mul(&x, &number(1)?)?;
    let v = transpose(&y, 0, 1)?;
    inplace(&v, || mul(&v, &number(3)?))?;
    assert_eq!(y.to_vec::<f32>()?, [3.0, 6.0, 9.0, 12.0]);
    assert_eq!(y.grad_fn().unwrap().name(), "torch::autograd::CopySlices");
    assert_eq!(v.grad_fn().unwrap().name(), "AsStridedBackward0");
    let weights = Tensor::from_slice(&[1f32, 10.0, 100.0, 1000.0], &[2, 2])?;
    backward(&[(total(&mul(&y, &weights)?)?, None)], false, false, None)?;
    assert_eq!(grad_of(&x), [3.0, 30.0, 300.0, 3000.0]);
    Ok(())
}

#[test]
fn leaves_are_not_written_to_while_recording() -> Result<()> {
    let w = leaf(&[1.0], &[1])?;
    let error = inplace(&w, || add(&w, &number(1)?)).unwrap_err().to_string();
    assert_eq!(error, "a leaf Variable that requires grad is being used in an in-place operation.");
    let v = unsqueeze(&w, 0)?;
    let error = inplace(&v, || add(&v, &number(1)?)).unwrap_err().to_string();
    assert_eq!(error, "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    no_grad(|| inplace(&w, || add(&w, &number(1)?)))?;
    assert_eq!(w.to_vec::<f32>()?, [2.0]);
    Ok(())
}

#[test]
fn a_graph_of_a_hundred_thousand_ops_is_dropped_without_recursion() -> Result<()> {
    let x = leaf(&[1.0], &[])?;
    let mut y = x.clone();
    for _ in 0..100_000 {
        y = reshape(&add(&y, &x)?, &[])?;
    }
    backward(&[(y.clone(), None)], true, false, None)?;
    assert_eq!(grad_of(&x), [100_001.0]);
    drop(y);
    Ok(())
}
