package main

import "net/http"

func (i *instance) pages(_ [][]byte) (http.Handler, error) { return http.NotFoundHandler(), nil }
