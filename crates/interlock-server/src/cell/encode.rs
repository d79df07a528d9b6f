//! Records as bytes: a format version, then each record with its length. One append carries the
//! records of a whole batch.

use interlock_core::Record;

/// The version of the format. Never used again for another one.
const VERSION: u8 = 1;

/// Adds a record to the bytes of a batch.
pub fn encode_record(bytes: &mut Vec<u8>, record: &Record) {
    if bytes.is_empty() {
        bytes.push(VERSION);
    }
    let at = bytes.len();
    bytes.extend_from_slice(&[0; 4]);
    *bytes = postcard::to_extend(record, std::mem::take(bytes))
        .expect("records are plain data, and memory is not bounded");
    let length = u32::try_from(bytes.len() - at - 4).expect("a record is far below 4 GiB");
    bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

/// Adds the records of another batch.
pub fn join_records(bytes: &mut Vec<u8>, others: &[u8]) {
    debug_assert_eq!(bytes.first(), others.first(), "both have this version");
    bytes.extend_from_slice(&others[1..]);
}

/// The records of a batch.
pub fn decode_records(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let (&version, mut rest) = bytes.split_first().ok_or("it is empty")?;
    if version != VERSION {
        return Err(format!(
            "it has the format {version}, which this version does not know"
        ));
    }
    let mut records = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<4>().ok_or("it is cut off")?;
        let length = u32::from_le_bytes(*length) as usize;
        let body = after.get(..length).ok_or("it is cut off")?;
        records.push(postcard::from_bytes(body).map_err(|error| error.to_string())?);
        rest = &after[length..];
    }
    Ok(records)
}
