package process

import (
	"errors"
	"strings"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

// maxEnvironBytes bounds what is read of another process's environment.
const maxEnvironBytes = 8 << 20

// Parent is the parent's process id, 0 when unknown or when the id has gone to a process that started later.
func Parent(pid int) int {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(snapshot)
	row := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err := windows.Process32First(snapshot, &row); err == nil; err = windows.Process32Next(snapshot, &row) {
		if int(row.ProcessID) != pid {
			continue
		}
		parent := int(row.ParentProcessID)
		if born, ok := startOf(parent); !ok {
			return 0
		} else if own, ok := startOf(pid); ok && born > own {
			return 0
		}
		return parent
	}
	return 0
}

// startOf is when a process started, in 100 ns; false when there is none or it may not be looked at.
func startOf(pid int) (int64, bool) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, false
	}
	defer windows.CloseHandle(process)
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	return created.Nanoseconds() / 100, true
}

// ExecutablePath is the file the process runs, as the kernel tells it, "" when unknown.
func ExecutablePath(pid int) string {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(process)
	path := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(path))
	if err := windows.QueryFullProcessImageName(process, 0, &path[0], &size); err != nil {
		return ""
	}
	return windows.UTF16ToString(path[:size])
}

// CarriesMarker reports whether the environment of the process shows that some connector of some sidecar started it.
// It is false also when the environment cannot be read; IsDescendantOf looks at the kernel's own record.
func CarriesMarker(pid int) bool {
	variables, err := environ(pid)
	if err != nil {
		return false
	}
	for _, variable := range variables {
		if name, _, _ := strings.Cut(variable, "="); strings.EqualFold(name, MarkerVar) {
			return true
		}
	}
	return false
}

// environ reads the environment out of another process's memory, where Windows keeps it.
func environ(pid int) ([]string, error) {
	const access = windows.PROCESS_QUERY_INFORMATION | windows.PROCESS_VM_READ
	process, err := windows.OpenProcess(access, false, uint32(pid))
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(process)
	var basic windows.PROCESS_BASIC_INFORMATION
	err = windows.NtQueryInformationProcess(process, windows.ProcessBasicInformation, unsafe.Pointer(&basic), uint32(unsafe.Sizeof(basic)), nil)
	if err != nil {
		return nil, err
	}
	var peb windows.PEB
	if err := readMemory(process, uintptr(unsafe.Pointer(basic.PebBaseAddress)), (*byte)(unsafe.Pointer(&peb)), unsafe.Sizeof(peb)); err != nil {
		return nil, err
	}
	var parameters windows.RTL_USER_PROCESS_PARAMETERS
	err = readMemory(process, uintptr(unsafe.Pointer(peb.ProcessParameters)), (*byte)(unsafe.Pointer(&parameters)), unsafe.Sizeof(parameters))
	if err != nil {
		return nil, err
	}
	units := min(parameters.EnvironmentSize, maxEnvironBytes) / 2
	if units == 0 {
		return nil, nil
	}
	block := make([]uint16, units)
	if err := readMemory(process, uintptr(parameters.Environment), (*byte)(unsafe.Pointer(&block[0])), units*2); err != nil {
		return nil, err
	}
	return strings.Split(string(utf16.Decode(block)), "\x00"), nil
}

func readMemory(process windows.Handle, from uintptr, to *byte, size uintptr) error {
	var read uintptr
	if err := windows.ReadProcessMemory(process, from, to, size, &read); err != nil {
		return err
	}
	if read != size {
		return errors.New("only a part could be read")
	}
	return nil
}
