//! Without copying where that is possible, and strides of any sign where it is not.
//!
//! ```text
//! cargo run --example views
//! ```

use xslice::{ElementType, Jit, Program, Signature};

fn main() -> Result<(), xslice::Error> {
    view()?;
    bottom_up_image()?;
    tile_of_an_atlas()
}

/// Where the whole chain is affine, the result is a view: a shape, strides and an offset into the operand.
fn view() -> Result<(), xslice::Error> {
    let program = Program::parse("x[1:, ::-1][:, ::2]")?;
    let signature = Signature::new().operand(ElementType::I32, &[3, 5]);
    let view = program.view(&signature)?.expect("slices are affine");
    println!(
        "view of x: shape {:?}, strides {:?}, offset {}",
        view.shape, view.strides, view.offset
    );
    assert_eq!(view.shape, [2, 3]);
    assert_eq!(view.strides, [5, -2]);
    assert_eq!(view.offset, 9);

    // Gathering by a table is not affine: elements have to move.
    let program = Program::parse("x[@ids]")?;
    let signature = signature.operand(ElementType::I64, &[4]);
    assert_eq!(program.view(&signature)?, None);
    Ok(())
}

/// An operand may lie in memory as it likes: here the rows of a bitmap, the last one first, each padded to 16 bytes.
fn bottom_up_image() -> Result<(), xslice::Error> {
    let (height, width, padded) = (3, 4, 16);
    let bitmap: Vec<u8> = (0..height * padded).map(|at| at as u8).collect();
    let program = Program::parse("image[:, :, ::-1]")?;
    let signature = Signature::new().strided(
        ElementType::U8,
        &[height, width, 3],
        &[-(padded as isize), 3, 1],
        (height - 1) * padded,
    );
    let kernel = Jit::new().compile(&program, &signature)?;
    let rgb: Vec<u8> = kernel.collect(&[(&bitmap).into()])?;
    println!("top row of the bitmap, channels swapped: {:?}", &rgb[..12]);
    assert_eq!(rgb[..6], [34, 33, 32, 37, 36, 35]);
    assert_eq!(rgb[24..30], [2, 1, 0, 5, 4, 3]);
    Ok(())
}

/// A result may go into the middle of a larger buffer: what lies around it stays as it is.
fn tile_of_an_atlas() -> Result<(), xslice::Error> {
    let tile: Vec<u16> = (1..=9).collect();
    let program = Program::parse("tile[::-1, :]")?;
    let signature = Signature::new()
        .operand(ElementType::U16, &[3, 3])
        .output(&[8, 1], 2 * 8 + 4);
    let kernel = Jit::new().compile(&program, &signature)?;
    let mut atlas = [0u16; 6 * 8];
    kernel.run(&[(&tile).into()], &mut atlas)?;
    for row in atlas.chunks_exact(8) {
        println!("{row:?}");
    }
    assert_eq!(atlas[16..24], [0, 0, 0, 0, 7, 8, 9, 0]);
    assert_eq!(atlas[32..40], [0, 0, 0, 0, 1, 2, 3, 0]);
    assert_eq!(atlas.iter().map(|&n| u32::from(n)).sum::<u32>(), 45);
    Ok(())
}
