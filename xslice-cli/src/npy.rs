//! NumPy's `.npy` files.
//!
//! Read: format versions 1 to 3, both byte orders, C and Fortran order, every numeric type; bf16 has no name in NumPy and
//! lies there as its 16-bit patterns (`<u2`), or as two bytes without a type (`<V2`, what `numpy.save` makes of `ml_dtypes.bfloat16`);
//! whoever reads the file has to know that it is bf16. Written: little-endian, C order, version 1 (2 where the header is long).
//! Not read: strings, objects, records. Every size in a header is compared with the bytes that are there before anything is
//! allocated for it.

mod header;

use crate::error::Fault;
use crate::files;
use crate::scalar;
use header::Header;
use xslice::{ElementType, Tensor, byte_count, counted, element_count};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The tensor in the bytes of a `.npy` file; where bf16 is `wanted`, 16-bit patterns are taken for it.
///
/// # Errors
/// [`Fault::Format`] for anything that is not such a file, and for types that have no counterpart.
pub fn parse(mut file: Vec<u8>, wanted: Option<ElementType>) -> Result<Tensor, Fault> {
    let (header, start) = split_header(&file)?;
    let header = Header::parse(header)?;
    let ty = element_type(&header, wanted)?;
    let count = element_count(&header.shape)?;
    let needed = byte_count(count, ty)?;
    let given = file.len() - start;
    if given != needed {
        let shape = &header.shape;
        return Err(Fault::Format(format!(
            "{} of data for {ty} {shape:?} (allowed: {})",
            counted(given, "byte", "bytes"),
            counted(needed, "byte", "bytes")
        )));
    }
    file.drain(..start);
    let width = scalar::width(ty);
    if header.big_endian {
        scalar::swap_bytes(&mut file, width);
    }
    scalar::little_to_native(&mut file, width);
    if header.fortran_order && header.shape.len() > 1 {
        file = c_order(&file, &header.shape, ty.size())?;
    }
    scalar::tensor(ty, &header.shape, file)
}

fn element_type(header: &Header, wanted: Option<ElementType>) -> Result<ElementType, Fault> {
    match (header.element_type, wanted) {
        (None | Some(ElementType::U16), Some(ElementType::Bf16)) => Ok(ElementType::Bf16),
        (Some(ty), _) => Ok(ty),
        (None, _) => Err(Fault::Format(
            "type `V2` is two bytes of no type, which are read as bf16 where a model or a text declares it, as `<bf16[4]> x[1:]`; \
             otherwise save `a.view('u2')`"
                .into(),
        )),
    }
}

/// The text of the header, and where the data begins.
fn split_header(file: &[u8]) -> Result<(&str, usize), Fault> {
    let truncated = || Fault::Format("the file ends inside its header".into());
    let rest = file.strip_prefix(MAGIC).ok_or_else(|| {
        Fault::Format("not a .npy file: it does not begin with \\x93NUMPY".into())
    })?;
    let (&[major, _minor], rest) = rest.split_first_chunk::<2>().ok_or_else(truncated)?;
    let (len, rest) = match major {
        1 => {
            let (len, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
            (u16::from_le_bytes(*len) as usize, rest)
        }
        2 | 3 => {
            let (len, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
            (u32::from_le_bytes(*len) as usize, rest)
        }
        _ => {
            return Err(Fault::Format(format!(
                ".npy format version {major} is unknown (allowed: 1, 2 or 3)"
            )));
        }
    };
    let text = rest.get(..len).ok_or_else(truncated)?;
    let text =
        std::str::from_utf8(text).map_err(|_| Fault::Format("the header is not text".into()))?;
    Ok((text, file.len() - rest.len() + len))
}

/// The same elements, row-major, from bytes where the first axis runs fastest.
fn c_order(from: &[u8], shape: &[usize], size: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    files::reserve(&mut bytes, from.len() as u64)?;
    // No dimension is 0 where there are elements, so the strides divide the element count.
    let mut axes: Vec<_> = shape.iter().map(|&dim| (dim, 0, 0)).collect();
    let mut stride = if from.is_empty() { 0 } else { 1 };
    for (dim, step, _) in &mut axes {
        *step = stride;
        stride *= *dim;
    }
    let mut at = 0;
    while bytes.len() < from.len() {
        bytes.extend_from_slice(&from[at * size..(at + 1) * size]);
        // The next index in row-major order; `at` follows it with Fortran strides.
        for (dim, step, index) in axes.iter_mut().rev() {
            *index += 1;
            at += *step;
            if *index < *dim {
                break;
            }
            at -= *step * *index;
            *index = 0;
        }
    }
    Ok(bytes)
}

/// The bytes of a `.npy` file with this tensor.
///
/// # Errors
/// [`Fault::Format`] for strings: only `.pb` files hold them.
pub fn to_bytes(tensor: &Tensor) -> Result<Vec<u8>, Fault> {
    let descr = descr(tensor.element_type()).ok_or_else(|| {
        Fault::Format("a .npy file holds no strings; name the file .pb instead".into())
    })?;
    let dims: Vec<_> = tensor.shape().iter().map(ToString::to_string).collect();
    let comma = if dims.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", dims.join(", "));
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let prefix = if text.len() < 60_000 { 10 } else { 12 };
    while (prefix + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut file = Vec::new();
    let len = prefix + text.len() + tensor.bytes().len();
    files::reserve(&mut file, len as u64)?;
    file.extend_from_slice(MAGIC);
    if prefix == 10 {
        file.extend_from_slice(&[1, 0]);
        file.extend_from_slice(&(text.len() as u16).to_le_bytes());
    } else {
        file.extend_from_slice(&[2, 0]);
        file.extend_from_slice(&(text.len() as u32).to_le_bytes());
    }
    file.extend_from_slice(text.as_bytes());
    let data = file.len();
    file.extend_from_slice(tensor.bytes());
    scalar::little_to_native(&mut file[data..], scalar::width(tensor.element_type()));
    Ok(file)
}

/// NumPy's name of an element type, little-endian.
fn descr(ty: ElementType) -> Option<&'static str> {
    Some(match ty {
        ElementType::Bool => "|b1",
        ElementType::I8 => "|i1",
        ElementType::I16 => "<i2",
        ElementType::I32 => "<i4",
        ElementType::I64 => "<i8",
        ElementType::U8 => "|u1",
        ElementType::U16 | ElementType::Bf16 => "<u2",
        ElementType::U32 => "<u4",
        ElementType::U64 => "<u8",
        ElementType::F16 => "<f2",
        ElementType::F32 => "<f4",
        ElementType::F64 => "<f8",
        ElementType::C64 => "<c8",
        ElementType::C128 => "<c16",
        ElementType::String => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend_from_slice(&(header.len() as u16).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(data);
        file
    }

    #[test]
    fn every_type_survives_a_round_trip() {
        for ty in ElementType::ALL {
            if ty == ElementType::String {
                continue;
            }
            for shape in [&[][..], &[3], &[2, 0, 4], &[2, 3]] {
                let bytes = element_count(shape).unwrap() * ty.size();
                let data = (0..bytes).map(|b| (b % 2) as u8).collect();
                let tensor = Tensor::from_bytes(ty, shape, data).unwrap();
                let read = parse(to_bytes(&tensor).unwrap(), None).unwrap();
                assert_eq!(read.bytes(), tensor.bytes());
                assert_eq!(read.shape(), shape);
                if ty != ElementType::Bf16 {
                    assert_eq!(read.element_type(), ty);
                }
            }
        }
    }

    #[test]
    fn fortran_order_and_big_endian_are_converted() {
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
        let data: Vec<u8> = [1i16, 4, 2, 5, 3, 6]
            .iter()
            .flat_map(|v| v.to_be_bytes())
            .collect();
        let tensor = parse(file(header, &data), None).unwrap();
        assert_eq!(
            tensor,
            Tensor::new(&[2, 3], &[1i16, 2, 3, 4, 5, 6]).unwrap()
        );
    }

    #[test]
    fn a_header_that_promises_more_than_the_file_holds_is_refused_before_allocating() {
        let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387903,)}";
        let text = parse(file(header, &[0; 8]), None).unwrap_err().to_string();
        assert!(text.contains("E301") || text.contains("E502"), "{text}");
    }

    #[test]
    fn bytes_after_the_data_are_refused() {
        let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }";
        let text = parse(file(header, &[1, 2, 3]), None)
            .unwrap_err()
            .to_string();
        assert!(text.contains("3 bytes of data"), "{text}");
    }

    #[test]
    fn a_negative_dimension_is_named() {
        let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (-1, 2), }";
        let text = parse(file(header, &[1, 2]), None).unwrap_err().to_string();
        assert!(
            text.contains("`-1` in `shape` is not a dimension (allowed: 0..=9223372036854775807)"),
            "{text}"
        );
    }

    #[test]
    fn what_a_header_lacks_is_named_with_its_place() {
        for (header, words) in [
            ("", "`{` is expected where it ends"),
            ("{'descr': ", "a string is expected where it ends"),
            (
                "{'descr': ('<i4', (2,))}",
                "a string is expected before `('<i4', (2,))}`",
            ),
            (
                "{'descr': '<i3'}",
                "type `<i3` is unknown (allowed: b1, i1, i2, i4, i8, ",
            ),
            (
                "{'descr': '<i4', 'fortran_order': 0}",
                "`False` is expected before `0}`",
            ),
        ] {
            let text = parse(file(header, &[]), None).unwrap_err().to_string();
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn patterns_are_bf16_where_that_is_wanted() {
        let parse = |descr: &str, wanted| {
            let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}");
            parse(file(&header, &[0x80, 0x3f, 0, 0xc0]), wanted)
        };
        for descr in ["<u2", "<V2", "|V2", "V2"] {
            let tensor = parse(descr, Some(ElementType::Bf16)).unwrap();
            assert_eq!(tensor.element_type(), ElementType::Bf16);
            assert_eq!(
                [0, 1].map(|at| scalar::show(&tensor, at)),
                ["1", "-2"],
                "{descr}"
            );
        }
        for wanted in [None, Some(ElementType::U16), Some(ElementType::F16)] {
            let text = parse("<V2", wanted).unwrap_err().to_string();
            assert!(text.contains("save `a.view('u2')`"), "{text}");
            assert_eq!(
                parse("<u2", wanted).unwrap().element_type(),
                ElementType::U16
            );
        }
        let text = parse("<V4", None).unwrap_err().to_string();
        assert!(text.contains("`<V4` is unknown"), "{text}");
    }
}
