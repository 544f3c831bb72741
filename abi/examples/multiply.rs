// Loads a plugin by its path and multiplies two small matrices in ordinary memory, which is what a CPU plugin takes.
// With the standard library only: rustc multiply.rs
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};

extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

type Solve = unsafe extern "C" fn(*const f32, *const f32, *mut f32, c_int, c_int, c_int);
type LastError = unsafe extern "C" fn() -> *const c_char;

struct Plugin {
    solve: Solve,
    last_error: Option<LastError>, // another maker's library may lack it
}

impl Plugin {
    fn open(path: &str) -> Result<Plugin, String> {
        const RTLD_NOW: c_int = 2;
        unsafe {
            let library = dlopen(CString::new(path).unwrap().as_ptr(), RTLD_NOW);
            if library.is_null() {
                return Err(CStr::from_ptr(dlerror()).to_string_lossy().into_owned());
            }
            let find = |name: &[u8]| dlsym(library, name.as_ptr() as *const c_char);
            let solve = find(b"solve\0");
            if solve.is_null() {
                return Err(format!("{path}: exports no solve"));
            }
            Ok(Plugin {
                solve: std::mem::transmute::<*mut c_void, Solve>(solve),
                last_error: std::mem::transmute::<*mut c_void, Option<LastError>>(find(b"solve_last_error\0")),
            })
        }
    }

    // C[m x k] = a[m x n] * b[n x k], row-major: n is the contraction.
    fn multiply(&self, a: &[f32], b: &[f32], m: usize, n: usize, k: usize) -> Result<Vec<f32>, String> {
        assert!(a.len() == m * n && b.len() == n * k);
        let mut c = vec![0.0; m * k];
        unsafe {
            (self.solve)(a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), m as c_int, n as c_int, k as c_int);
            match self.last_error.map(|last_error| last_error()) {
                Some(text) if !text.is_null() => Err(CStr::from_ptr(text).to_string_lossy().into_owned()),
                _ => Ok(c),
            }
        }
    }
}

fn main() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("usage: multiply LIBRARY")?;
    let c = Plugin::open(&path)?.multiply(&[1., 2., 3., 4., 5., 6.], &[1., 0., 0., 1., 1., 1.], 2, 3, 2)?;
    println!("{} {}\n{} {}", c[0], c[1], c[2], c[3]);
    Ok(())
}
