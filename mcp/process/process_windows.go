package process

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

// procThreadAttributeJobList is PROC_THREAD_ATTRIBUTE_JOB_LIST: the process is in its job before its first instruction.
const procThreadAttributeJobList = 0x0002000D

// jobAccounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type jobAccounting struct {
	totalUserTime, totalKernelTime           int64
	thisPeriodUserTime, thisPeriodKernelTime int64
	totalPageFaults                          uint32
	totalProcesses                           uint32
	activeProcesses                          uint32
	totalTerminatedProcesses                 uint32
}

// child is the leader and its tree.
type child struct {
	pid     int
	process windows.Handle
	tree    *tree
}

// tree is a job object: the leader and everything it starts, which cannot leave it.
// The kernel ends all of it when the last handle closes, at the latest with this process.
type tree struct{ job windows.Handle }

func newTree() (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return nil, errors.Join(err, windows.CloseHandle(job))
	}
	return &tree{job: job}, nil
}

// remains reports whether anything of the tree is left.
func (t *tree) remains() bool {
	var use jobAccounting
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&use)), uint32(unsafe.Sizeof(use)), nil)
	return err == nil && use.activeProcesses > 0
}

// terminate reports that a program without a console cannot be asked to end but by the end of its input.
func (t *tree) terminate() bool { return false }

func (t *tree) kill() { _ = windows.TerminateJobObject(t.job, 1) }

// spawn starts the leader with streams as its standard ones, in a job of its own and without a window.
func spawn(spec Spec, streams [3]*os.File) (*child, error) {
	program, line, err := launchLine(spec)
	if err != nil {
		return nil, err
	}
	t, err := newTree()
	if err != nil {
		return nil, err
	}
	handles, err := inheritable(streams)
	if err == nil {
		var info windows.ProcessInformation
		info, err = createProcess(program, line, spec, t, handles)
		if err == nil {
			_ = windows.CloseHandle(info.Thread)
			closeHandles(handles)
			return &child{pid: int(info.ProcessId), process: info.Process, tree: t}, nil
		}
	}
	closeHandles(handles)
	return nil, errors.Join(err, windows.CloseHandle(t.job))
}

// launchLine is the file to execute and the command line for it.
func launchLine(spec Spec) (program, line string, err error) {
	line, interpreter, err := CommandLine(spec.Path, spec.Args)
	if err != nil || !interpreter {
		return spec.Path, line, err
	}
	// Not %ComSpec%, which is somebody's to set.
	system, err := windows.GetSystemDirectory()
	return filepath.Join(system, "cmd.exe"), line, err
}

func createProcess(program, line string, spec Spec, t *tree, handles []windows.Handle) (windows.ProcessInformation, error) {
	var info windows.ProcessInformation
	attributes, err := windows.NewProcThreadAttributeList(2)
	if err != nil {
		return info, err
	}
	defer attributes.Delete()
	// Only these three: other handles that happen to be inheritable at this moment stay here.
	err = errors.Join(
		attributes.Update(windows.PROC_THREAD_ATTRIBUTE_HANDLE_LIST, unsafe.Pointer(&handles[0]), uintptr(len(handles))*unsafe.Sizeof(handles[0])),
		attributes.Update(procThreadAttributeJobList, unsafe.Pointer(&t.job), unsafe.Sizeof(t.job)),
	)
	if err != nil {
		return info, err
	}
	startup := windows.StartupInfoEx{ProcThreadAttributeList: attributes.List()}
	startup.Cb = uint32(unsafe.Sizeof(startup))
	startup.Flags = windows.STARTF_USESTDHANDLES
	startup.StdInput, startup.StdOutput, startup.StdErr = handles[0], handles[1], handles[2]
	program16, err1 := windows.UTF16PtrFromString(program)
	line16, err2 := windows.UTF16PtrFromString(line)
	dir16, err3 := windows.UTF16PtrFromString(spec.Dir)
	if err := errors.Join(err1, err2, err3); err != nil {
		return info, err
	}
	const flags = windows.CREATE_UNICODE_ENVIRONMENT | windows.EXTENDED_STARTUPINFO_PRESENT |
		windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
	err = windows.CreateProcess(program16, line16, nil, nil, true, flags,
		&environmentBlock(spec.environment())[0], dir16, &startup.StartupInfo, &info)
	return info, err
}

// environmentBlock is env as CreateProcess takes it: sorted, each with a NUL, and one more.
func environmentBlock(env []string) []uint16 {
	sorted := slices.SortedFunc(slices.Values(env), func(a, b string) int {
		return strings.Compare(strings.ToUpper(a), strings.ToUpper(b))
	})
	var block []uint16
	for _, variable := range sorted {
		block = append(append(block, utf16.Encode([]rune(variable))...), 0)
	}
	return append(block, 0)
}

// inheritable duplicates the streams for the child.
func inheritable(streams [3]*os.File) ([]windows.Handle, error) {
	self := windows.CurrentProcess()
	var handles []windows.Handle
	for _, stream := range streams {
		var handle windows.Handle
		err := windows.DuplicateHandle(self, windows.Handle(stream.Fd()), self, &handle, 0, true, windows.DUPLICATE_SAME_ACCESS)
		if err != nil {
			return handles, err
		}
		handles = append(handles, handle)
	}
	return handles, nil
}

func closeHandles(handles []windows.Handle) {
	for _, handle := range handles {
		_ = windows.CloseHandle(handle)
	}
}

// await waits for the leader's end; its handle keeps its id.
func (c *child) await() (code int, signal string) {
	if _, err := windows.WaitForSingleObject(c.process, windows.INFINITE); err != nil {
		return -1, ""
	}
	var exitCode uint32
	if err := windows.GetExitCodeProcess(c.process, &exitCode); err != nil {
		return -1, ""
	}
	return int(exitCode), ""
}

// reap gives the leader's id back to the system.
func (c *child) reap() { closeHandles([]windows.Handle{c.process, c.tree.job}) }

// output is the reading end of stdout or stderr. It ends with the job, in which nothing else can hold the other end.
type output struct{ file *os.File }

func (o *output) Read(b []byte) (int, error) {
	n, err := o.file.Read(b)
	if err == nil {
		return n, nil
	}
	_ = o.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return n, io.EOF
	}
	return n, err
}

func (o *output) end() {}
