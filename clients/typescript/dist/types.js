// Code generated from the OpenAPI document by clients/types. DO NOT EDIT.
export {};
