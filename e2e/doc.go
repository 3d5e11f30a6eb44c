// Package e2e is Carillon as people meet it: the built program as child
// processes, real Redis, real SQL and a real Chromium. Each user story leaves
// its screenshots in screenshots/.
package e2e
