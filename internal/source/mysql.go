package source

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/carillonhq/carillon/internal/address"
)

// dialWait bounds the wait for a connection to MySQL, also where the caller sets no limit.
const dialWait = 10 * time.Second

var (
	errTLS   = errors.New("tls must be false, preferred, skip-verify or true")
	errZone  = errors.New("time_zone must be an offset, such as %2B02:00, or a zone, such as Europe/Amsterdam")
	errTLSCA = errors.New("tls_ca contains no certificate in PEM form")
)

// parseMySQL parses mysql://USER:PASSWORD@HOST:PORT/DATABASE, or mysql://USER@/DATABASE?socket=PATH. The options are
// socket, tls (false, preferred, skip-verify, true), tls_ca (a file), and time_zone.
func parseMySQL(raw string) (*mysql.Config, error) {
	if err := address.Check(raw); err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, address.ErrUnreadable
	}
	cfg := mysql.NewConfig()
	cfg.User = u.User.Username()
	cfg.Passwd, _ = u.User.Password()
	cfg.DBName = strings.TrimPrefix(u.Path, "/")
	if cfg.User == "" || cfg.DBName == "" || u.Opaque != "" {
		return nil, errAddress
	}
	cfg.ParseTime, cfg.InterpolateParams, cfg.Timeout, cfg.Logger = true, true, dialWait, &mysql.NopLogger{}
	if err := cfg.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		return nil, err
	}
	options := u.Query()
	for name := range options {
		if !slices.Contains([]string{"socket", "tls", "tls_ca", "time_zone"}, name) {
			return nil, errors.New("has an unknown option; those of mysql:// are socket, tls, tls_ca and time_zone")
		}
	}
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort(u.Hostname(), orPort(u.Port()))
	if socket := options.Get("socket"); socket != "" {
		cfg.Net, cfg.Addr = "unix", socket
	} else if u.Hostname() == "" {
		return nil, errAddress
	}
	if err := secure(cfg, options.Get("tls"), options.Get("tls_ca"), u.Hostname()); err != nil {
		return nil, err
	}
	return cfg, zoned(cfg, options.Get("time_zone"))
}

func orPort(port string) string {
	if port == "" {
		return "3306"
	}
	return port
}

// secure sets TLS. Like libpq, it uses TLS by default if the server has it, without a check of its certificate.
func secure(cfg *mysql.Config, mode, authority, host string) error {
	if authority != "" {
		pem, err := os.ReadFile(authority)
		if err != nil {
			return fmt.Errorf("tls_ca: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return errTLSCA
		}
		cfg.TLS = &tls.Config{RootCAs: pool, ServerName: host, MinVersion: tls.VersionTLS12}
		return nil
	}
	switch mode {
	case "":
		if cfg.Net == "tcp" {
			cfg.TLSConfig = "preferred"
		}
	case "false", "preferred", "skip-verify", "true":
		cfg.TLSConfig = mode
	default:
		return errTLS
	}
	return nil
}

// zoned sets the time zone of the session, in which the server returns times without one. The default is UTC, whatever
// that of the server is.
func zoned(cfg *mysql.Config, zone string) error {
	cfg.Loc = time.UTC
	switch at, err := time.Parse("-07:00", zone); {
	case zone == "":
		zone = "+00:00"
	case err == nil:
		_, offset := at.Zone()
		cfg.Loc = time.FixedZone(zone, offset)
	default:
		loc, err := time.LoadLocation(zone)
		if err != nil || strings.ContainsAny(zone, `'\`) {
			return errZone
		}
		cfg.Loc = loc
	}
	cfg.Params = map[string]string{"time_zone": "'" + zone + "'"}
	return nil
}

// openMySQL also owns cfg.
func openMySQL(cfg *mysql.Config) (*sql.DB, error) {
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// limitMySQL makes the server end the statements of a session after a time, each product in its way.
func limitMySQL(ctx context.Context, conn *sql.Conn, limit time.Duration) error {
	var version string
	if err := conn.QueryRowContext(ctx, `SELECT VERSION()`).Scan(&version); err != nil {
		return err
	}
	set := fmt.Sprintf(`SET SESSION max_execution_time = %d`, limit.Milliseconds())
	if strings.Contains(version, "MariaDB") {
		set = fmt.Sprintf(`SET SESSION max_statement_time = %g`, limit.Seconds())
	}
	_, err := conn.ExecContext(ctx, set)
	return err
}
