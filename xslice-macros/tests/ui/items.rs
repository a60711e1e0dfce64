//! Functions.

use xslice::xslice;

xslice! {
    fn out_of_range<f32[2]> [3]
    pub fn named<f32[2]> x[1]
    fn nothing<f32[2]>
    fn arrow<f32[2]> [0] => y
    const fn at_run_time<f32[2], ids: i64[1]> [@ids]
    #[xslice(root = other)]
    fn attribute<f32[2]> [0]
    pub(crate) struct Nothing;
}

// What begins like an expression, among items.
xslice! { async fn late<f32[2]> [0] }
xslice! { struct Nothing; }
xslice! { focus<f32[2]> [3] }

xslice! { fn untyped [0] }
xslice! { fn unused<f32[2], ids: i64[2]> [0] }

fn main() {
    let mut y = 0.0;
    out_of_range(&[0.0; 2], &mut y);
    let _: [f32; 1] = at_run_time(&[0.0; 2], &[0]);
    let _ = arrow::SHAPE;
}
