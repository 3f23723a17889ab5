use proptest::prelude::*;

use super::*;

fn value() -> impl Strategy<Value = Value> {
    let bytes = || prop_oneof![prop::collection::vec(any::<u8>(), 0..40), Just(vec![7; 300]), Just(vec![7; 70_000])];
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        (any::<u64>(), 0..64_u32).prop_map(|(number, shift)| Value::Count(number >> shift)),
        (i64::MIN..0, 0..64_u32).prop_map(|(number, shift)| Value::Negative(number >> shift)),
        (-1e300..1e300_f64).prop_map(Value::Float),
        bytes().prop_map(Value::Text),
        bytes().prop_map(Value::Bytes),
        (any::<i8>(), bytes()).prop_map(|(kind, bytes)| Value::Extension(kind, bytes)),
    ];
    leaf.prop_recursive(4, 40, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
            prop::collection::vec((inner.clone(), inner), 0..20).prop_map(Value::Map),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(value in value(), cut in any::<prop::sample::Index>()) {
        let bytes = encode(&value).expect("bytes");
        prop_assert_eq!(decode(&bytes), Ok(Some((value.clone(), bytes.len()))));
        let more = [&bytes[..], b"\xc1"].concat();
        prop_assert_eq!(decode(&more), Ok(Some((value, bytes.len()))));
        prop_assert_eq!(decode(&bytes[..cut.index(bytes.len())]), Ok(None));
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(Some((value, length))) = decode(&bytes) {
            prop_assert!(length <= bytes.len());
            // The shortest form may differ, the value does not. What is no number equals nothing.
            let again = encode(&value).expect("bytes");
            prop_assert_eq!(format!("{:?}", decode(&again)), format!("{:?}", Ok::<_, Wrong>(Some((value, again.len())))));
        }
    }
}

#[test]
fn values_have_the_bytes_of_the_specification() {
    for (value, bytes) in [
        (Value::Count(127), &[0x7f][..]),
        (Value::Count(128), &[0xcc, 0x80]),
        (Value::Count(65_536), &[0xce, 0, 1, 0, 0]),
        (Value::Negative(-32), &[0xe0]),
        (Value::Negative(-33), &[0xd0, 0xdf]),
        (Value::Negative(-129), &[0xd1, 0xff, 0x7f]),
        (Value::text("a"), &[0xa1, b'a']),
        (Value::Bytes(vec![1]), &[0xc4, 1, 1]),
        (Value::Array(vec![Value::Nil, Value::Bool(true)]), &[0x92, 0xc0, 0xc3]),
        (Value::Map(vec![(Value::Count(1), Value::Float(1.0))]), &[0x81, 1, 0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0]),
        (Value::Extension(-1, vec![9]), &[0xd4, 0xff, 9]),
    ] {
        assert_eq!(encode(&value).as_deref(), Ok(bytes), "{value:?}");
    }
    assert_eq!(decode(&[0xca, 0x3f, 0x80, 0, 0]), Ok(Some((Value::Float(1.0), 5))));
    assert_eq!(decode(&[0xd1, 0, 5]), Ok(Some((Value::Count(5), 3))));
}

#[test]
fn nothing_is_without_bounds() {
    let deep = |levels: usize| [vec![0x91; levels], vec![0xc0]].concat();
    assert!(matches!(decode(&deep(DEEPEST)), Ok(Some(_))));
    assert_eq!(decode(&deep(DEEPEST + 1)), Err(Wrong::Deep));
    assert_eq!(decode(&deep(1_000_000)), Err(Wrong::Deep));
    // A length that is claimed takes nothing before it is there.
    assert_eq!(decode(&[0xdd, 0, 0x3f, 0xff, 0xff]), Ok(None));
    for mark in [0xc6, 0xc9, 0xdb, 0xdd, 0xdf] {
        assert_eq!(decode(&[mark, 0xff, 0xff, 0xff, 0xff]), Err(Wrong::Long), "{mark:#x}");
    }
    assert_eq!(encode(&Value::Bytes(vec![0; LARGEST])), Err(Wrong::Long));
    assert_eq!(Value::text(&"ä".repeat(1_000)).to_string().chars().count(), SHOWN + 1);
}
