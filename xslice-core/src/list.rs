//! Lists of a few numbers, in place: dimensions, turns of loops, strides.
//!
//! A plan is made of such lists, a few for each access, and a tensor of usual rank makes all of them short. With their elements in
//! place a known structure is bound to new numbers without an allocation for each list; what is longer lies on the heap.

use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

/// As many elements have their place in the list.
const PLACES: usize = 5;

/// A list that allocates only if it is long. It is a slice where it is read.
#[derive(Clone)]
pub struct List<T>(Form<T>);

#[derive(Clone)]
enum Form<T> {
    Short { len: u8, places: [T; PLACES] },
    Long(Vec<T>),
}

impl<T: Copy + Default> List<T> {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self(Form::Short {
            len: 0,
            places: [T::default(); PLACES],
        })
    }

    /// `value`, `len` times.
    pub(crate) fn repeat(value: T, len: usize) -> Self {
        match len {
            0..=PLACES => Self(Form::Short {
                len: len as u8,
                places: [value; PLACES],
            }),
            _ => Self(Form::Long(alloc::vec![value; len])),
        }
    }

    /// Adds an element at the end.
    #[inline]
    pub fn push(&mut self, value: T) {
        match &mut self.0 {
            Form::Short { len, places } => match places.get_mut(usize::from(*len)) {
                Some(place) => {
                    *place = value;
                    *len += 1;
                }
                None => {
                    let mut all = Vec::with_capacity(2 * PLACES);
                    all.extend_from_slice(places);
                    all.push(value);
                    self.0 = Form::Long(all);
                }
            },
            Form::Long(all) => all.push(value),
        }
    }

    /// Keeps the first `len` elements, if there are more.
    pub fn truncate(&mut self, len: usize) {
        match &mut self.0 {
            Form::Short { len: had, .. } => *had = (usize::from(*had)).min(len) as u8,
            Form::Long(all) => all.truncate(len),
        }
    }

    /// Takes the last element out.
    pub fn pop(&mut self) -> Option<T> {
        let last = self.last().copied();
        self.truncate(self.len().saturating_sub(1));
        last
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match &self.0 {
            Form::Short { .. } => 0,
            Form::Long(all) => all.capacity() * size_of::<T>(),
        }
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Form::Short { len, places } => &places[..usize::from(*len)],
            Form::Long(all) => all,
        }
    }
}

impl<T> DerefMut for List<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Form::Short { len, places } => &mut places[..usize::from(*len)],
            Form::Long(all) => all,
        }
    }
}

impl<T: Copy + Default> Default for List<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy + Default> From<&[T]> for List<T> {
    #[inline]
    fn from(elements: &[T]) -> Self {
        if elements.len() > PLACES {
            return Self(Form::Long(elements.to_vec()));
        }
        let mut places = [T::default(); PLACES];
        places[..elements.len()].copy_from_slice(elements);
        Self(Form::Short {
            len: elements.len() as u8,
            places,
        })
    }
}

impl<T: Copy + Default> FromIterator<T> for List<T> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut elements = elements.into_iter();
        let (mut len, mut places) = (0, [T::default(); PLACES]);
        // By a loop over the places, which looks at no form.
        for (place, element) in places.iter_mut().zip(&mut elements) {
            *place = element;
            len += 1;
        }
        let mut list = Self(Form::Short { len, places });
        if usize::from(len) == PLACES {
            list.extend(elements);
        }
        list
    }
}

impl<T: Copy + Default> Extend<T> for List<T> {
    #[inline]
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        elements.into_iter().for_each(|element| self.push(element));
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for List<T> {}

impl<T: PartialEq> PartialEq<[T]> for List<T> {
    fn eq(&self, other: &[T]) -> bool {
        **self == *other
    }
}

impl<T: Hash> Hash for List<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_the_vector_of_its_elements_at_every_length() {
        let (mut list, mut vector) = (List::new(), Vec::new());
        for element in 0..3 * PLACES {
            assert_eq!(*list, vector[..]);
            assert_eq!(List::from(&vector[..]), list);
            assert_eq!(vector.iter().copied().collect::<List<_>>(), list);
            assert_eq!(list.heap_bytes() > 0, list.len() > PLACES);
            list.push(element);
            vector.push(element);
        }
        for len in (0..vector.len()).rev() {
            assert_eq!(list.pop(), vector.pop());
            assert_eq!((&*list, list.len()), (&vector[..], len));
        }
        assert_eq!(list.pop(), None);
        assert_eq!(List::repeat(7, 9)[..], [7; 9]);
        assert_eq!(List::repeat(7, 2)[..], [7; 2]);
    }
}
