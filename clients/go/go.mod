module github.com/carillonhq/carillon/clients/go

go 1.24.0
