// Code generated from the OpenAPI document by scripts/clienttypes. DO NOT EDIT.
export {};
