package source

import "fmt"

// Reaches describes how a source on MySQL is reached: user, password, network, address, database, TLS, time zone.
func (s Source) Reaches() string {
	c := s.mysql
	security := c.TLSConfig
	if c.TLS != nil {
		security = "checked for " + c.TLS.ServerName
	}
	return fmt.Sprintf("%s %s %s %s %s %q %s", c.User, c.Passwd, c.Net, c.Addr, c.DBName, security, c.Params["time_zone"])
}

// Account returns the user, the password, the address and the database of a source on MySQL.
func (s Source) Account() (user, password, host, database string) {
	return s.mysql.User, s.mysql.Passwd, s.mysql.Addr, s.mysql.DBName
}
