//! The SQL statements that are not checked against the schema when this crate is compiled. The test
//! `tests/queries.rs` compares this list with the source.

/// A file of `persistence/src` with unchecked statements.
pub struct UncheckedStatements {
    pub file: &'static str,
    /// The number of calls in the file that run unchecked SQL.
    pub count: usize,
    /// Why the statements cannot be checked.
    pub reason: &'static str,
}

pub const UNCHECKED_STATEMENTS: [UncheckedStatements; 7] = [
    UncheckedStatements {
        file: "embedded/backup.rs",
        count: 1,
        reason: "the name of the replication slot contains the process id",
    },
    UncheckedStatements {
        file: "postgres.rs",
        count: 1,
        reason: "two statements in one message, which cannot be prepared",
    },
    UncheckedStatements {
        file: "postgres/bank.rs",
        count: 2,
        reason: "creates logins, and grants rights to logins with configured names",
    },
    UncheckedStatements {
        file: "postgres/link_conversion.rs",
        count: 4,
        reason: "one statement converts columns of many tables",
    },
    UncheckedStatements {
        file: "postgres/tests.rs",
        count: 2,
        reason: "tests with tables and statements of their own",
    },
    UncheckedStatements {
        file: "records.rs",
        count: 1,
        reason: "builds a checked statement again when a write is repeated",
    },
    UncheckedStatements {
        file: "testing.rs",
        count: 11,
        reason: "test databases, and statements that a test passes",
    },
];
