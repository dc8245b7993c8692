package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const canMeasureMemory = true

// residentBytes is the resident memory of a process (proc(5), VmRSS).
func residentBytes(pid int) (float64, error) { return bytesOf(pid, "VmRSS") }

// mostResidentBytes is the most that it ever was (VmHWM).
func mostResidentBytes(pid int) (float64, error) { return bytesOf(pid, "VmHWM") }

func bytesOf(pid int, field string) (float64, error) {
	value, err := statusOf(pid, field)
	if err != nil {
		return 0, err
	}
	kibibytes, err := strconv.ParseFloat(strings.TrimSuffix(value, " kB"), 64)
	if err != nil {
		return 0, fmt.Errorf("read the memory of process %d: %w", pid, err)
	}
	return kibibytes * 1024, nil
}

// childNamed is the child of a process whose first argument is the given one.
func childNamed(parent int, argument string) (pid int, err error) {
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, folder := range folders {
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			continue
		}
		if value, err := statusOf(pid, "PPid"); err != nil || value != strconv.Itoa(parent) {
			continue
		}
		line, err := os.ReadFile(filepath.Join(folder, "cmdline"))
		if words := bytes.Split(line, []byte{0}); err == nil && len(words) > 1 && string(words[1]) == argument {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("process %d has no child started with %q", parent, argument)
}

// statusOf is one field of a process's status.
func statusOf(pid int, field string) (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, field+":"); found {
			return strings.TrimSpace(value), nil
		}
	}
	return "", fmt.Errorf("process %d has no field %s in its status", pid, field)
}
