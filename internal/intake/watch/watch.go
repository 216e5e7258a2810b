// Package watch is the agent that brings files from folders to a server: it notices new
// and changed files, waits until they are complete, and imports them over HTTP as a user
// would in the browser.
//
// Nothing is lost and nothing is doubled, whenever the agent or the server is killed. The
// agent records a file after the server has answered. A crash in between repeats the
// import, and the server finds nothing new in it: a repeated call with the same
// idempotency key has no second effect, and stored fills are recognized. The agent never
// changes, moves or deletes a watched file.
//
// Waiting is decided by elapsed time, never by the time of day or a file's time, so clock
// changes have no effect.
package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The agent's times.
const (
	// settleNotified is how long a file must be unchanged before it is read, and
	// settleScanned the same if only scans see its changes, as on network drives.
	settleNotified = 2 * time.Second
	settleScanned  = 5 * time.Second
	// growthInterval is how often a growing file is sent at most.
	growthInterval = 5 * time.Minute
	// tailWait is how long a last line without a line break waits in a growing file.
	tailWait = 24 * time.Hour
	// A folder is scanned every minScan, or less often if a scan takes long: at most
	// 1/scanShare of the time is used for scans.
	minScan   = 30 * time.Second
	maxScan   = 15 * time.Minute
	scanShare = 1000

	minBackoff = time.Second
	maxBackoff = 15 * time.Minute
	// maxFileBackoff bounds the waiting for a locked file.
	maxFileBackoff = time.Minute
	// onceAttempts is how often Once tries what fails for now.
	onceAttempts = 3
	// batchSize is how many files are sent before changes are looked at again.
	batchSize = 50
)

// Event is an event for one line of output. Path is empty if it is about the agent.
type Event struct {
	Path    string
	Outcome Outcome
	Message string
}

// The event outcomes that are not final.
const (
	Waiting Outcome = "waiting"
	Failed  Outcome = "failed"
	Notice  Outcome = "notice"
)

// String returns the event in one line.
func (e Event) String() string {
	if e.Path == "" {
		return e.Message
	}
	return fmt.Sprintf("%-9s %s: %s", e.Outcome, oneLine(e.Path), e.Message)
}

// Options are the parts an agent works with.
type Options struct {
	Config  Config
	State   *State
	Version string
	// Now returns the time with a monotonic reading, as time.Now does.
	Now func() time.Time
	// Wait waits for the duration, for a change, or for the end of the context. It
	// returns the change's path, and whether there was one.
	Wait func(ctx context.Context, d time.Duration, changes <-chan string) (path string, changed bool)
	// Notifier may be nil: everything is found by scans then.
	Notifier Notifier
	Report   func(Event)
	// Timeout is how long a request may take.
	Timeout time.Duration
	// Handler answers the requests inside this process, and nothing is sent over the
	// network. It is nil for an agent calling a server.
	Handler http.Handler
	// DryRun only reports what would be imported.
	DryRun bool
}

// DefaultTimeout is the usual Options.Timeout. Importing a large file may take
// minutes.
const DefaultTimeout = 5 * time.Minute

// WaitFor is the usual Options.Wait.
func WaitFor(ctx context.Context, d time.Duration, changes <-chan string) (string, bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case path := <-changes:
		return path, true
	}
	return "", false
}

// Agent watches folders. Its methods are used by one goroutine.
type Agent struct {
	Options
	importer *importer
	folders  []*watchedFolder
	files    map[string]*watchedFile
	once     bool
	counts   map[Outcome]int
	open     func(path string) (*os.File, error)

	sentAt    map[string]time.Time // when files were imported last
	failures  int                  // the server's, in a row
	notBefore time.Time            // no request before
}

// watchedFolder is a folder with its next scan.
type watchedFolder struct {
	*Folder
	due     time.Time
	missing bool // whether the unreadable folder is reported
}

// watchedFile is a file not handled yet.
type watchedFile struct {
	path          string
	folder        *Folder
	size, modTime int64
	changedAt     time.Time // when this size and time were first seen
	notified      bool
	notBefore     time.Time
	attempts      int
	reported      string // the last reported reason to wait
}

// New returns an agent.
func New(o Options) (*Agent, error) {
	client, err := newClient(&o.Config, o.Version, o.Timeout)
	if err != nil {
		return nil, err
	}
	if o.Handler != nil {
		client.http.Transport = handlerTransport{o.Handler}
	}
	a := &Agent{
		Options: o, files: map[string]*watchedFile{}, counts: map[Outcome]int{}, sentAt: map[string]time.Time{}, open: openShared,
		importer: &importer{client: client, now: o.Now, dryRun: o.DryRun},
	}
	for i := range a.Config.Folders {
		a.folders = append(a.folders, &watchedFolder{Folder: &a.Config.Folders[i]})
	}
	return a, nil
}

// Run watches until the context ends, which is not an error. It returns ErrConfig
// if the server refuses the token or an account.
func (a *Agent) Run(ctx context.Context) error {
	var changes <-chan string
	if a.Notifier != nil {
		changes = a.Notifier.Changes()
	}
	for started := false; ; started = true {
		next, err := a.step(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was asked to end
		}
		if err != nil {
			return err
		}
		if !started {
			a.Report(Event{Outcome: Notice, Message: fmt.Sprintf("Watching %s.", count(len(a.folders), "folder"))})
		}
		path, changed := a.Wait(ctx, next, changes)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was asked to end
		}
		if changed {
			a.noteChange(path)
		}
	}
}

// ErrSomeFailed means some files could not be imported.
var ErrSomeFailed = errors.New("some files failed")

// Once handles the existing files and returns. Files still changing are left for the next
// time. It returns ErrSomeFailed if a file was refused or could not be read, a folder was
// missing, or the server could not be reached.
func (a *Agent) Once(ctx context.Context) error {
	a.once = true
	for {
		next, err := a.step(ctx)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(a.files) == 0 && a.importer.checked || a.failures >= onceAttempts {
			break
		}
		a.Wait(ctx, next, nil)
	}
	for _, f := range a.files {
		a.report(f, Waiting, "not sent, because the server cannot be reached")
	}
	if len(a.files) > 0 || !a.importer.checked || a.counts[Refused]+a.counts[Failed] > 0 {
		return ErrSomeFailed
	}
	return nil
}

// Summary returns how many files had which outcome.
func (a *Agent) Summary() string {
	var parts []string
	for _, outcome := range []Outcome{Imported, Unchanged, Skipped, Refused, Failed, Waiting} {
		if n := a.counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	if len(parts) == 0 {
		return "No new files."
	}
	return "Files: " + strings.Join(parts, ", ") + "."
}

// step does everything that is due and returns how long there is nothing to do.
func (a *Agent) step(ctx context.Context) (time.Duration, error) {
	a.scanDue()
	if err := a.checkServer(ctx); err != nil {
		return 0, err
	}
	if err := a.sendReady(ctx); err != nil {
		return 0, err
	}
	return a.untilNext(), nil
}

// checkServer checks the token and the accounts until it has succeeded once, so a wrong
// configuration is found before the first file comes.
func (a *Agent) checkServer(ctx context.Context) error {
	if a.importer.checked || a.Now().Before(a.notBefore) {
		return nil
	}
	err := a.importer.check(ctx, a.Config.Folders)
	switch {
	case err == nil:
		a.noteReachable()
	case ctx.Err() == nil && !errors.Is(err, ErrConfig):
		a.noteUnreachable(err)
		return nil
	}
	return err
}

// elapsed returns how long ago a moment was.
func (a *Agent) elapsed(since time.Time) time.Duration { return a.Now().Sub(since) }

// scanDue scans the folders whose time has come. Once scans each only once.
func (a *Agent) scanDue() {
	for _, f := range a.folders {
		if a.Now().Before(f.due) || a.once && !f.due.IsZero() {
			continue
		}
		begun := a.Now()
		dirs, err := f.scan(func(path string, info fs.FileInfo) { a.observe(f.Folder, path, info, false) })
		a.noteMissing(f, err)
		if a.Notifier != nil {
			for _, dir := range dirs {
				_ = a.Notifier.Add(dir) // scans find everything too
			}
		}
		f.due = a.Now().Add(min(max(minScan, scanShare*a.Now().Sub(begun)), maxScan))
	}
}

// noteMissing reports once that a folder cannot be read, or can be read again.
func (a *Agent) noteMissing(f *watchedFolder, err error) {
	if (err != nil) == f.missing {
		return
	}
	f.missing = err != nil
	if err == nil {
		a.Report(Event{Outcome: Notice, Message: fmt.Sprintf("The folder %s can be read again.", f.Path)})
		return
	}
	a.counts[Failed]++
	a.Report(Event{Path: f.Path, Outcome: Failed, Message: "the folder cannot be read: " + reason(err)})
}

// reason returns a file system error's cause without the path.
func reason(err error) string {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err.Error()
	}
	return err.Error()
}

// noteChange handles a reported change to a file. An empty path means changes got lost:
// all folders are scanned.
func (a *Agent) noteChange(path string) {
	if path == "" {
		for _, f := range a.folders {
			f.due = time.Time{}
		}
		return
	}
	info, err := statUnlinked(path)
	for _, f := range a.folders {
		switch {
		case err == nil && info.IsDir() && f.Recursive && f.contains(path):
			f.due = time.Time{}
		case f.contains(path) && f.selects(filepath.Base(path)):
			if err != nil {
				delete(a.files, path)
			} else if info.Mode().IsRegular() {
				a.observe(f.Folder, path, info, true)
			}
		}
	}
}

// observe records a file's size and time, and forgets it if it was handled.
func (a *Agent) observe(folder *Folder, path string, info fs.FileInfo, notified bool) {
	size, modTime := info.Size(), info.ModTime().UnixNano()
	if a.owner(path) != folder {
		return
	}
	f := a.files[path]
	if f == nil {
		if size == 0 || a.isHandled(folder, path, info) {
			return
		}
		f = &watchedFile{path: path, folder: folder, size: -1}
		a.files[path] = f
	}
	f.notified = f.notified || notified
	if f.size != size || f.modTime != modTime {
		f.size, f.modTime, f.changedAt = size, modTime, a.Now()
		f.notBefore, f.attempts = time.Time{}, 0
	}
}

// owner returns the folder a file belongs to: the first one selecting it.
func (a *Agent) owner(path string) *Folder {
	for _, f := range a.folders {
		if f.contains(path) && f.selects(filepath.Base(path)) {
			return f.Folder
		}
	}
	return nil
}

// isHandled reports whether nothing is left to do with a file.
func (a *Agent) isHandled(folder *Folder, path string, info fs.FileInfo) bool {
	r, ok := a.State.Find(path)
	if !ok || r.Size != info.Size() || r.ModTime != info.ModTime().UnixNano() || r.Settings != folder.settings() {
		return false
	}
	if r.Sent == r.Size {
		return true
	}
	return a.once && a.Now().Sub(info.ModTime()) < tailWait // its last line is not due
}

// sendReady handles the ready files, those with the fewest failures and the oldest first,
// so later corrections win.
func (a *Agent) sendReady(ctx context.Context) error {
	ready := slices.DeleteFunc(slices.Collect(maps.Values(a.files)), func(f *watchedFile) bool { return a.untilReady(f) > 0 })
	slices.SortFunc(ready, func(x, y *watchedFile) int {
		return cmpAll(x.attempts-y.attempts, int(min(1, max(-1, x.modTime-y.modTime))), strings.Compare(x.path, y.path))
	})
	for _, f := range ready[:min(len(ready), batchSize)] {
		if ctx.Err() != nil || !a.importer.checked || a.Now().Before(a.notBefore) {
			return nil //nolint:nilerr // the caller looks at the context
		}
		if err := a.handle(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func cmpAll(order ...int) int {
	for _, o := range order {
		if o != 0 {
			return o
		}
	}
	return 0
}

// untilReady returns how long a file must not be read yet.
func (a *Agent) untilReady(f *watchedFile) time.Duration {
	settle := settleScanned
	if f.notified || a.once {
		settle = settleNotified
	}
	return max(settle-a.elapsed(f.changedAt), f.notBefore.Sub(a.Now()), 0)
}

// untilNext returns how long there is nothing to do.
func (a *Agent) untilNext() time.Duration {
	next := maxScan
	if !a.once {
		for _, f := range a.folders {
			next = min(next, f.due.Sub(a.Now()))
		}
	}
	server := a.notBefore.Sub(a.Now())
	if !a.importer.checked {
		next = min(next, server)
	}
	for _, f := range a.files {
		next = min(next, max(server, a.untilReady(f)))
	}
	return max(next, 0)
}

// handle reads a file and imports it, or records when to try again. It returns only
// errors that end the agent.
func (a *Agent) handle(ctx context.Context, f *watchedFile) error {
	if f.size > maxFile {
		return a.finish(f, Record{Sent: f.size}, verdict{outcome: Refused, message: fmt.Sprintf("larger than %d MiB", maxFile>>20)})
	}
	content, err := a.readContent(f)
	switch {
	case errors.Is(err, errChanged):
		return a.lookAgain(f)
	case errors.Is(err, fs.ErrNotExist), err != nil && isLink(f.path):
		delete(a.files, f.path)
		return nil
	case err != nil:
		return a.retryRead(f, err)
	}
	part, grows, wait := a.choosePart(f, content)
	if wait != nil {
		return a.hold(f, *wait)
	}
	r := Record{Sent: int64(len(part)), Hash: hashContent(part), Grows: grows}
	if known, ok := a.State.FindContent(f.folder.settings(), r.Hash); ok {
		return a.repeat(f, r, known)
	}
	v, err := a.importer.send(ctx, f.folder, f.path, part)
	if err != nil {
		return a.retrySend(ctx, f, err)
	}
	a.noteReachable()
	if r.Sent < f.size {
		v.message += "; the last row is incomplete and waits"
	}
	return a.finish(f, r, v)
}

// pause is why and how long a file must wait.
type pause struct {
	why string
	d   time.Duration
}

// choosePart returns the part of a file that can be sent, from its beginning, and whether
// the file grows like a log. If nothing can be sent now, it returns a pause. A grown file
// is sent again from its beginning, because the server distinguishes equal fills only if
// it sees all of them.
func (a *Agent) choosePart(f *watchedFile, content []byte) (part []byte, grows bool, wait *pause) {
	name, size := filepath.Base(f.path), int64(len(content))
	old, known := a.State.Find(f.path)
	known = known && old.Settings == f.folder.settings() && old.Hash != ""
	known = known && old.Sent <= size && hashContent(content[:old.Sent]) == old.Hash
	grows = known && (old.Grows || old.Sent < size) && isLines(name)
	if d := a.untilSteady(f, grows, isComplete(name, content)); d != nil {
		return nil, grows, d
	}
	if !isLines(name) || isComplete(name, content) {
		return content, grows, nil
	}
	age := a.tailAge(f)
	if !hasShortTail(content) && (!grows || age >= tailWait) {
		return content, grows, nil
	}
	part = content[:lastLineEnd(content)]
	if len(part) == 0 || known && int64(len(part)) == old.Sent {
		d := tailWait - age
		if d <= 0 {
			d = tailWait
		}
		return nil, grows, &pause{"its last row is not complete", d}
	}
	return part, grows, nil
}

// untilSteady returns the pause for a growing or incomplete file until it is unchanged
// for a while. Once does not wait for it.
func (a *Agent) untilSteady(f *watchedFile, grows, complete bool) *pause {
	if a.once || !grows && complete {
		return nil
	}
	why := "it is not complete"
	if grows {
		why = "it grows"
	}
	if d := f.folder.quiet() - a.elapsed(f.changedAt); d > 0 {
		return &pause{why, d}
	}
	if sent, ok := a.sentAt[f.path]; ok && grows {
		if d := growthInterval - a.elapsed(sent); d > 0 {
			return &pause{why, d}
		}
	}
	return nil
}

// tailAge returns how long a file's last line is unchanged. Once has not been there to
// see it and believes the file's time.
func (a *Agent) tailAge(f *watchedFile) time.Duration {
	if a.once {
		return a.Now().Sub(time.Unix(0, f.modTime))
	}
	return a.elapsed(f.changedAt)
}

// hold lets a file wait without a failure. Once leaves it for the next time.
func (a *Agent) hold(f *watchedFile, wait pause) error {
	if a.once {
		a.report(f, Waiting, wait.why)
		delete(a.files, f.path)
		return nil
	}
	if f.reported != wait.why {
		f.reported = wait.why
		a.report(f, Waiting, wait.why)
	}
	f.notBefore = a.Now().Add(wait.d)
	return nil
}

// lookAgain records that a file changed since it was seen last.
func (a *Agent) lookAgain(f *watchedFile) error {
	info, err := statFile(f.path)
	if err != nil {
		delete(a.files, f.path)
		return nil //nolint:nilerr // it does not exist any more
	}
	attempts := f.attempts + 1
	a.observe(f.folder, f.path, info, false)
	f.attempts, f.notBefore = attempts, a.Now().Add(settleNotified)
	if a.once && attempts > onceAttempts {
		return a.hold(f, pause{why: "it still changes"})
	}
	return nil
}

// retryRead records that a file cannot be read for now, for example because another
// program has it for itself.
func (a *Agent) retryRead(f *watchedFile, err error) error {
	why := "it cannot be read: " + reason(err)
	if isLocked(err) {
		why = "another program uses it"
	}
	f.attempts++
	if a.once && f.attempts >= onceAttempts {
		a.report(f, Failed, why)
		delete(a.files, f.path)
		return nil
	}
	if f.reported != why && !a.once {
		f.reported = why
		a.report(f, Waiting, why)
	}
	f.notBefore = a.Now().Add(backoff(f.attempts, maxFileBackoff))
	return nil
}

// backoff returns how long to wait after a number of consecutive failures.
func backoff(failures int, limit time.Duration) time.Duration {
	d := minBackoff << min(failures-1, 20)
	return min(d, limit)
}

// retrySend records that a file could not be sent for now. A server problem stops all
// files for a while, a problem with this file only this one.
func (a *Agent) retrySend(ctx context.Context, f *watchedFile, err error) error {
	if ctx.Err() != nil || errors.Is(err, ErrConfig) {
		return err
	}
	f.attempts++
	if !errors.Is(err, errUnreachable) {
		if a.once && f.attempts >= onceAttempts {
			a.report(f, Failed, err.Error())
			delete(a.files, f.path)
			return nil
		}
		if f.reported != err.Error() {
			f.reported = err.Error()
			a.report(f, Waiting, err.Error())
		}
		f.notBefore = a.Now().Add(backoff(f.attempts, maxBackoff))
		return nil
	}
	a.noteUnreachable(err)
	return nil
}

// noteUnreachable lets all requests wait, longer with each failure in a row.
func (a *Agent) noteUnreachable(err error) {
	a.failures++
	wait := backoff(a.failures, maxBackoff)
	wait += time.Duration(rand.Int64N(int64(wait)/5 + 1)) // many agents must not come back at once
	if r, ok := errors.AsType[*refusal](err); ok {
		wait = max(wait, r.RetryAfter)
	}
	a.notBefore = a.Now().Add(wait)
	if a.failures == 1 {
		a.Report(Event{Outcome: Notice, Message: capitalize(oneLine(err.Error())) + ". Trying again."})
	}
}

// noteReachable reports the end of an outage.
func (a *Agent) noteReachable() {
	if a.failures > 0 {
		a.failures = 0
		a.Report(Event{Outcome: Notice, Message: "The server can be reached again."})
	}
}

func capitalize(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// repeat finishes a file whose content is known, without sending it.
func (a *Agent) repeat(f *watchedFile, r Record, known Record) error {
	v := verdict{outcome: Unchanged, message: "nothing new", batch: known.Import}
	if known.Outcome == Skipped || known.Outcome == Refused {
		v.outcome, v.message = known.Outcome, known.Message
	}
	if known.Path != f.path {
		v.message = "same content as " + filepath.Base(known.Path)
		if v.outcome != Unchanged {
			v.message += ": " + known.Message
		}
	}
	return a.finish(f, r, v)
}

// finish records and reports a file's final result.
func (a *Agent) finish(f *watchedFile, r Record, v verdict) error {
	r.Path, r.Size, r.ModTime, r.Settings = f.path, f.size, f.modTime, f.folder.settings()
	r.Outcome, r.Message, r.Import = v.outcome, v.message, v.batch
	if !a.DryRun {
		if err := a.State.Add(r); err != nil {
			return err
		}
	}
	if v.outcome == Imported {
		a.sentAt[f.path] = a.Now()
	}
	a.report(f, v.outcome, v.message)
	delete(a.files, f.path)
	return nil
}

func (a *Agent) report(f *watchedFile, outcome Outcome, message string) {
	a.counts[outcome]++
	a.Report(Event{Path: f.path, Outcome: outcome, Message: message})
}
