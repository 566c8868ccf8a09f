//! Restricts access to the demo's files to their owner: keys, the sandbox's journal with its mails,
//! and uploads.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const PRIVATE_FOLDER_MODE: u32 = 0o700;
const PRIVATE_FILE_MODE: u32 = 0o600;
/// File mode of the data folder when the demo runs as root. Postgres then runs as another user,
/// which needs to enter the folder but not to list it.
const ROOT_FOLDER_MODE: u32 = 0o711;
/// Folders in the data folder that hold secrets. The folder `postgres` is left out, because
/// Postgres sets its owner and modes.
const SECRET_FOLDERS: [&str; 2] = ["sandbox", "uploads"];

/// Creates the data folder if needed, and removes all rights of other users from it and from the
/// files that older versions left there.
///
/// # Errors
///
/// A file's mode cannot be read or changed.
pub fn protect_data_dir(data_dir: &Path) -> io::Result<()> {
    fs::create_dir_all(data_dir)?;
    let mode = if nix::unistd::geteuid().is_root() {
        ROOT_FOLDER_MODE
    } else {
        PRIVATE_FOLDER_MODE
    };
    restrict_mode(data_dir, mode)?;
    for entry in fs::read_dir(data_dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_file() {
            restrict_mode(&entry.path(), PRIVATE_FILE_MODE)?;
        } else if kind.is_dir() && SECRET_FOLDERS.iter().any(|name| entry.file_name() == *name) {
            protect_folder_recursively(&entry.path())?;
        }
    }
    Ok(())
}

fn protect_folder_recursively(folder: &Path) -> io::Result<()> {
    restrict_mode(folder, PRIVATE_FOLDER_MODE)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()? {
            kind if kind.is_dir() => protect_folder_recursively(&entry.path())?,
            kind if kind.is_file() => restrict_mode(&entry.path(), PRIVATE_FILE_MODE)?,
            _ => {}
        }
    }
    Ok(())
}

/// Removes access rights that `mode` does not include, and never adds rights.
fn restrict_mode(path: &Path, mode: u32) -> io::Result<()> {
    let found = fs::metadata(path)?.permissions().mode() & 0o777;
    if found & !mode == 0 {
        Ok(())
    } else {
        fs::set_permissions(path, Permissions::from_mode(found & mode))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_older_demos_become_private() {
        let folder = persistence::testing::TempFolder::new();
        let data = folder.path().join("data");
        let deep = data.join("sandbox/mailbox");
        fs::create_dir_all(&deep).expect("folders");
        let files = [
            data.join("seal.key"),
            data.join("running.json"),
            deep.join("1.eml"),
        ];
        for file in &files {
            fs::write(file, "secret").expect("written");
            fs::set_permissions(file, Permissions::from_mode(0o644)).expect("readable by all");
        }
        fs::set_permissions(&data, Permissions::from_mode(0o755)).expect("readable by all");
        protect_data_dir(&data).expect("protected");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&data) & 0o066, 0, "other users cannot list it");
        for file in &files {
            assert_eq!(mode(file), 0o600, "{}", file.display());
        }
        assert_eq!((mode(&data.join("sandbox")), mode(&deep)), (0o700, 0o700));
    }
}
