// Package activity answers questions about the audit log from an index of it: which records, which calls, how many, how slow (N1).
//
// It records nothing and decides nothing: the log is the record, and the index is made anew from it whenever it is missing, broken
// or of another version. Nothing but these questions opens it.
package activity

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"pillion/mcp/audit"
)

// version is that of the tables; an index of another one is made anew.
const version = 1

// FileName is how an index is called in its folder.
const FileName = "activity.db"

const tables = `
CREATE TABLE file (id INTEGER PRIMARY KEY, mark TEXT NOT NULL UNIQUE, read INTEGER NOT NULL);
CREATE TABLE record (
	id INTEGER PRIMARY KEY, file INTEGER NOT NULL, at INTEGER NOT NULL, window TEXT NOT NULL, kind TEXT NOT NULL, call TEXT NOT NULL,
	ask TEXT NOT NULL, session TEXT NOT NULL, asker TEXT NOT NULL, connector TEXT NOT NULL, tool TEXT NOT NULL, arguments TEXT NOT NULL,
	argumentsBytes INTEGER NOT NULL, allowed TEXT NOT NULL, rule TEXT NOT NULL, status TEXT NOT NULL, message TEXT NOT NULL,
	duration INTEGER NOT NULL, mayHaveRun INTEGER NOT NULL, count INTEGER NOT NULL
);
CREATE INDEX record_at ON record (at);
CREATE INDEX record_call ON record (call) WHERE call <> '';
CREATE INDEX record_file ON record (file);
`

// Options of an index.
type Options struct {
	Log    *audit.Log
	Folder string // where the index is kept; it is made if it is not there
	// IsAnew throws away what there is.
	IsAnew bool
	// OnRecords, if any, is told now and then how many records were taken in.
	OnRecords func(records int)
}

// Index is the log as it was when it was opened. Its methods may be called at once.
type Index struct {
	db    *sql.DB
	bytes int64
	read  map[string]int64
}

// Open takes into the index what the log has more than it, and returns it. Where the index cannot be kept it is held in memory: it
// then costs a reading of the whole log. The caller closes it.
func Open(ctx context.Context, o Options) (*Index, error) {
	path := filepath.Join(o.Folder, FileName)
	if err := prepare(o.Folder); err != nil {
		return open(ctx, ":memory:", o)
	}
	if o.IsAnew {
		remove(path)
	}
	x, err := open(ctx, path, o)
	if err == nil || ctx.Err() != nil {
		return x, err
	}
	remove(path) // broken, or of another version: there is nothing in it that the log has not
	if x, err = open(ctx, path, o); err == nil || ctx.Err() != nil {
		return x, err
	}
	return open(ctx, ":memory:", o)
}

// prepare makes the folder; one that others may write is not used.
func prepare(folder string) error {
	if folder == "" {
		return errors.New("there is no folder for it")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	path := filepath.Join(folder, FileName)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		return f.Close()
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", path)
	}
	return nil
}

func remove(path string) {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
	_ = prepare(filepath.Dir(path))
}

func open(ctx context.Context, path string, o Options) (*Index, error) {
	// What is lost in a crash of the machine is read from the log again; other terminals are waited for.
	name := path
	if path != ":memory:" {
		name = (&url.URL{Scheme: "file", Opaque: strings.ReplaceAll(url.PathEscape(filepath.ToSlash(path)), "%2F", "/")}).String()
	}
	name += "?_pragma=busy_timeout(10000)&_pragma=synchronous(off)&_txlock=immediate"
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open the index of the log: %w", err)
	}
	db.SetMaxOpenConns(1) // one file, and in memory one for each
	x := &Index{db: db}
	if err := x.follow(ctx, o); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open the index of the log: %w", err)
	}
	return x, nil
}

// Read is how far each file of the log was read, by its id: who goes on reading the log from there misses nothing.
func (x *Index) Read() map[string]int64 { return maps.Clone(x.read) }

// Close lets go of the file.
func (x *Index) Close() error { return x.db.Close() }

// follow takes in what is new, in one transaction.
func (x *Index) follow(ctx context.Context, o Options) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := setUp(ctx, tx); err != nil {
		return err
	}
	intake, err := newIntake(ctx, tx, o.OnRecords)
	if err != nil {
		return err
	}
	defer intake.close()
	files, err := o.Log.EachSince(intake.since, intake.take)
	if err = errors.Join(err, intake.err); err != nil {
		return err
	}
	if err := intake.finish(files); err != nil {
		return err
	}
	for _, f := range files {
		x.bytes += f.Size
	}
	x.read = intake.read
	return tx.Commit()
}

// setUp makes the tables of an index that has none.
func setUp(ctx context.Context, tx *sql.Tx) error {
	var found int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found); err != nil {
		return err
	}
	switch found {
	case version:
		return nil
	case 0:
		_, err := tx.ExecContext(ctx, tables+fmt.Sprintf("PRAGMA user_version = %d;", version))
		return err
	}
	return fmt.Errorf("it is of version %d", found)
}

// reportEvery is how many records are taken in between two reports.
const reportEvery = 5000

// intake takes records of the log into the index.
type intake struct {
	ctx    context.Context
	tx     *sql.Tx
	insert *sql.Stmt
	report func(int)

	ids   map[string]int64 // of files, by what tells them
	read  map[string]int64
	count int
	err   error
}

func newIntake(ctx context.Context, tx *sql.Tx, report func(int)) (*intake, error) {
	in := &intake{ctx: ctx, tx: tx, report: report, ids: map[string]int64{}, read: map[string]int64{}}
	rows, err := tx.QueryContext(ctx, "SELECT id, mark, read FROM file")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, read int64
		var mark string
		if err := rows.Scan(&id, &mark, &read); err != nil {
			return nil, err
		}
		in.ids[mark], in.read[mark] = id, read
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	in.insert, err = tx.PrepareContext(ctx, "INSERT INTO record VALUES (NULL"+strings.Repeat(",?", 19)+")")
	return in, err
}

func (in *intake) close() { _ = in.insert.Close() }

// since is where a file was read to. One that became shorter is read anew.
func (in *intake) since(f audit.File) int64 {
	if in.err != nil {
		return f.Size
	}
	id, isKnown := in.ids[f.ID]
	if isKnown && in.read[f.ID] <= f.Size {
		return in.read[f.ID]
	}
	in.read[f.ID] = 0
	if isKnown {
		in.exec("DELETE FROM record WHERE file = ?", id)
		return 0
	}
	added, err := in.tx.ExecContext(in.ctx, "INSERT INTO file VALUES (NULL, ?, 0)", f.ID)
	if err == nil {
		in.ids[f.ID], err = added.LastInsertId()
	}
	in.err = errors.Join(in.err, err)
	return 0
}

func (in *intake) exec(query string, values ...any) {
	if _, err := in.tx.ExecContext(in.ctx, query, values...); err != nil {
		in.err = errors.Join(in.err, err)
	}
}

// take inserts one record.
func (in *intake) take(f audit.File, end int64, r audit.Record) bool {
	in.read[f.ID] = end
	_, err := in.insert.ExecContext(in.ctx, in.ids[f.ID], r.At.UnixMicro(), r.Window, r.Kind, r.CallID, r.AskID, r.SessionID, r.Asker, r.Connector, r.Tool,
		string(r.Arguments), r.ArgumentsBytes, r.Allowed, r.Rule, r.Status, r.Message, r.DurationMS, r.MayHaveRun, r.Count)
	in.err = errors.Join(in.err, err)
	if in.count++; in.report != nil && in.count%reportEvery == 0 {
		in.report(in.count)
	}
	return in.err == nil
}

// finish keeps how far each file is read, and forgets those that the log no longer has.
func (in *intake) finish(files []audit.File) error {
	isThere := map[string]bool{}
	for _, f := range files {
		isThere[f.ID] = true
		in.exec("UPDATE file SET read = ? WHERE id = ? AND read <> ?", in.read[f.ID], in.ids[f.ID], in.read[f.ID])
	}
	for mark, id := range in.ids {
		if !isThere[mark] {
			in.exec("DELETE FROM record WHERE file = ?", id)
			in.exec("DELETE FROM file WHERE id = ?", id)
		}
	}
	return in.err
}

// at is a moment as it is kept.
func at(t time.Time) int64 { return t.UnixMicro() }
