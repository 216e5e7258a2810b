package db

import (
	"context"
	"database/sql/driver"
	"reflect"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// untilDone calls run, which runs one statement on SQLite, and interrupts the
// statement when ctx ends. The driver would do the same by starting a goroutine
// for each statement, which takes about as long as a short statement.
func (s *session) untilDone(ctx context.Context, run func(context.Context) error) (err error) {
	if ctx.Done() == nil || s.handle == 0 {
		return run(ctx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		interruptConnection(s.handle)
		close(interrupted)
	})
	defer func() {
		if !stop() { // another statement must not be interrupted
			<-interrupted
			err = ctx.Err()
		}
	}()
	return run(context.WithoutCancel(ctx))
}

func interruptConnection(handle uintptr) {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_interrupt(tls, handle)
}

// connectionHandle returns a connection's SQLite handle, which the driver has in a field
// it does not export, or 0 if there is no such field.
func connectionHandle(conn driver.Conn) uintptr {
	value := reflect.Indirect(reflect.ValueOf(conn))
	if value.Kind() != reflect.Struct {
		return 0
	}
	if field := value.FieldByName("db"); field.Kind() == reflect.Uintptr {
		return uintptr(field.Uint())
	}
	return 0
}
