//! A description of the machine, so that results can be compared. It contains nothing that
//! identifies the machine.

/// Returns cores, memory, operating system and Postgres version.
pub fn describe_machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = read_file_or_empty("/proc/meminfo")
        .lines()
        .find_map(|line| {
            let kb: u64 = line
                .strip_prefix("MemTotal:")?
                .trim()
                .trim_end_matches(" kB")
                .parse()
                .ok()?;
            Some(format!("{} GB of memory", kb / 1_000_000))
        });
    let system = read_file_or_empty("/etc/os-release")
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME=").map(str::to_owned));
    let postgres = std::process::Command::new("pg_config")
        .arg("--version")
        .output()
        .ok();
    let postgres = postgres.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let parts = [
        Some(format!(
            "{cores} cores, shared by server, database and load"
        )),
        memory,
        system.map(|system| system.trim_matches('"').to_owned()),
        postgres,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Returns the load average over one, five and fifteen minutes.
pub fn load_averages() -> String {
    format!(
        "load {}",
        read_file_or_empty("/proc/loadavg")
            .split(' ')
            .take(3)
            .collect::<Vec<_>>()
            .join(" ")
    )
}

fn read_file_or_empty(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
