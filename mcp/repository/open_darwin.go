package repository

import "syscall"

func changeTime(stat *syscall.Stat_t) syscall.Timespec { return stat.Ctimespec }
