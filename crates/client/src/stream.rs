//! An NDJSON answer, read line by line.

use std::io::{BufRead, BufReader};

use api::StreamLine;

use crate::error::Error;

/// The lines of an answer. After the line `end`, or an error, there are no more.
pub struct Stream {
    reader: BufReader<ureq::BodyReader<'static>>,
    line: String,
    is_over: bool,
}

impl Stream {
    pub(crate) fn new(reader: BufReader<ureq::BodyReader<'static>>) -> Self {
        Self {
            reader,
            line: String::new(),
            is_over: false,
        }
    }

    /// The next line as it came, without its line feed; `None` where the connection ended.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn next_text(&mut self) -> Result<Option<&str>, Error> {
        self.line.clear();
        match self.reader.read_line(&mut self.line) {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(self.line.trim_end_matches('\n'))),
            Err(_) => Err(Error::BrokeOff),
        }
    }

    fn read(&mut self) -> Result<StreamLine, Error> {
        match self.next_text()? {
            None => Err(Error::BrokeOff),
            Some(text) => serde_json::from_str(text).map_err(|error| Error::Unexpected {
                what: error.to_string(),
            }),
        }
    }
}

impl Iterator for Stream {
    type Item = Result<StreamLine, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let line = self.read();
        self.is_over = !matches!(&line, Ok(line) if !matches!(line, StreamLine::End(_)));
        Some(line)
    }
}
