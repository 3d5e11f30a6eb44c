// Package agent offers the API of a Carillon server to agents, as tools of the Model Context Protocol.
package agent
