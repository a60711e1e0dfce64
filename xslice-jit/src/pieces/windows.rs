//! Parts of the source that are loaded together.

/// What loads give the elements of a word or of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Windows<const MOST: usize> {
    /// The first and the end of what each gives.
    given: [(i32, i32); MOST],
    count: usize,
    /// Elements that they give.
    pub elements: usize,
}

impl<const MOST: usize> Windows<MOST> {
    /// As many of the elements that come `from` there as at most so many loads of `width` bytes give.
    pub fn of(from: &[i32], unit: usize, most: usize, width: usize) -> Self {
        let mut windows = Self {
            given: [(0, 0); MOST],
            count: 0,
            elements: 0,
        };
        let most = most.min(MOST);
        for &at in from {
            if !windows.take((at, at + unit as i32), most, width as i32) {
                break;
            }
            windows.elements += 1;
        }
        windows
    }

    fn take(&mut self, (first, end): (i32, i32), most: usize, width: i32) -> bool {
        for given in &mut self.given[..self.count] {
            let wider = (given.0.min(first), given.1.max(end));
            if wider.1 - wider.0 <= width {
                *given = wider;
                return true;
            }
        }
        let is_more = self.count < most;
        if is_more {
            self.given[self.count] = (first, end);
            self.count += 1;
        }
        is_more
    }

    pub fn given(&self) -> &[(i32, i32)] {
        &self.given[..self.count]
    }
}
