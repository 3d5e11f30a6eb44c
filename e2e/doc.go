// Package e2e tests Carillon as users see it: the built program as child processes, with real
// Redis, real SQL and a real Chromium. Each user story leaves screenshots in screenshots/.
package e2e
