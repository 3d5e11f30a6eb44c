package main

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/doctor"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/store"
)

type doctorCmd struct{}

// Run prints each finding as soon as it is available. It fails if any check fails.
func (doctorCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	fails, err := doctor.Examine(ctx, doctor.Config{
		Settings: &cfg, Log: c.log,
		Redis:  func(ctx context.Context) (redis.UniversalClient, error) { return instance.RedisBeside(ctx, cfg) },
		Store:  func(ctx context.Context) (*store.Store, error) { return instance.OpenStore(ctx, cfg) },
		Report: func(f doctor.Finding) error { return c.result(f, "%s", f) },
	})
	if err != nil {
		return err
	}
	if fails > 0 {
		return errors.New(plural(fails, "check") + " failed")
	}
	return nil
}
