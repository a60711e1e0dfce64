//! Compile once, run many: camera frames from RGBA to RGB, mirrored.
//!
//! ```text
//! cargo run --example first_kernel
//! ```

use xslice::{ElementType, Jit, Program, Signature};

fn main() -> Result<(), xslice::Error> {
    // Which elements, in NumPy's notation. No shape is known yet: one program serves frames of every size.
    let program = Program::parse("frame[:, ::-1, 0:3]")?;

    // Shapes arrive with a signature, and the kernel is for exactly these.
    let (height, width) = (4, 6);
    let signature = Signature::new().operand(ElementType::U8, &[height, width, 4]);
    println!("result: u8 {:?}", program.output_shape(&signature)?);
    let kernel = Jit::new().compile(&program, &signature)?;

    // From here on nothing is allocated and nothing is compiled.
    let mut rgb = vec![0u8; height * width * 3];
    for number in 0..3 {
        let frame = camera_frame(height, width, number);
        kernel.run(&[(&frame).into()], &mut rgb)?;
        println!("frame {number}: first pixel {:?}", &rgb[..3]);

        for (at, pixel) in rgb.chunks_exact(3).enumerate() {
            let (row, column) = (at / width, at % width);
            let mirrored = row * width + (width - 1 - column);
            assert_eq!(pixel, &frame[4 * mirrored..][..3]);
        }
    }
    Ok(())
}

/// Something to look at: row, column, number of the frame, opaque.
fn camera_frame(height: usize, width: usize, number: u8) -> Vec<u8> {
    let pixels = (0..height * width).map(|at| [at / width, at % width]);
    pixels
        .flat_map(|[row, column]| [row as u8, column as u8, number, 255])
        .collect()
}
