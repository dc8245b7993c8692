//go:build !linux

package main

import "errors"

const canMeasureMemory = false

func residentBytes(int) (float64, error) { return 0, errors.ErrUnsupported }

func mostResidentBytes(int) (float64, error) { return 0, errors.ErrUnsupported }

func childNamed(int, string) (int, error) { return 0, errors.ErrUnsupported }
