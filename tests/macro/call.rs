//! What an invocation is called with, and what it must give.

use crate::cases::describe::Case;
use xslice::{Element, Error, Input, Output, Scratch, Tensor};

/// Nothing more to say, or the refusal of an index.
pub type Outcome = Result<(), Error>;

/// A case and what the oracle says.
pub struct Call<'a> {
    pub case: &'a Case,
    pub expected: Option<&'a Tensor>,
}

impl Call<'_> {
    /// The elements of an operand.
    pub fn operand<T: Element, const N: usize>(&self, name: &str) -> Box<[T; N]> {
        let found = self.case.operands.iter().find(|(known, _)| known == name);
        let tensor = &found.expect("an operand of the case").1;
        assert_eq!(tensor.element_type(), T::TYPE);
        let program = xslice::Program::parse("x[...]").expect("a legal text");
        let signature = xslice::Signature::new().operand(T::TYPE, tensor.shape());
        let plan = program.compile(&signature).expect("a copy");
        let mut elements = self.destination::<T, N>();
        let output = Output::from(&mut elements[..]);
        let copied = xslice::interp::run(&plan, &[tensor.as_input()], output, &mut Scratch::new());
        copied.expect("a copy");
        elements
    }

    /// Room for the result.
    pub fn destination<T: Element, const N: usize>(&self) -> Box<[T; N]> {
        boxed(vec![T::default(); N])
    }

    /// Compares a result bit by bit.
    pub fn same<T: Element>(&self, got: &[T]) {
        let expected = self
            .expected
            .expect("the oracle refuses what the macro computes");
        let got = Input::from(got);
        assert_eq!(got.element_type(), expected.element_type());
        assert!(
            got.bytes() == expected.bytes() && got.strings() == expected.strings(),
            "{:?}\nbut the oracle {expected:?}",
            got
        );
    }

    /// Compares the shape.
    pub fn shape(&self, got: &[usize]) {
        let expected = self
            .expected
            .expect("the oracle refuses what the macro computes");
        assert_eq!(got, expected.shape());
    }
}

fn boxed<T, const N: usize>(elements: Vec<T>) -> Box<[T; N]> {
    match elements.into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => panic!("the length of the type"),
    }
}
