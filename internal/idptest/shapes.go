package idptest

// Shape is how a real provider says who has signed in.
type Shape struct {
	Provider string
	Source   string         // where that is public
	ID       map[string]any // claims of the ID token
	Userinfo map[string]any // claims that only userinfo has
	Groups   string         // the claim with the groups
	Staff    bool           // a member of notices
	Name     string         // for people; empty: none
	Email    string         // empty: none
}

// Shapes are those of providers in use. The values are examples.
var Shapes = []Shape{
	{"Keycloak, as it comes: roles are in access tokens only", "https://github.com/keycloak/keycloak/issues/14617", map[string]any{
		"sub": "eb14", "azp": ClientID, "preferred_username": "jane", "name": "Jane Doe", "email": "jane@example.com", "email_verified": true,
	}, map[string]any{"preferred_username": "jane", "name": "Jane Doe"}, "realm_access.roles", false, "Jane Doe", "jane@example.com"},
	{"Keycloak, realm roles added to the ID token", "https://github.com/9p4/jellyfin-plugin-sso/issues/346", map[string]any{
		"sub": "f3b1", "preferred_username": "jane", "name": "Jane Doe", "email": "jane@example.com", "email_verified": true,
		"realm_access": map[string]any{"roles": []any{"offline_access", "notices"}},
	}, nil, "realm_access.roles", true, "Jane Doe", "jane@example.com"},
	{"Keycloak, roles of a client with dots in its name", "https://github.com/keycloak/keycloak/blob/main/services/src/main/java/org/keycloak/protocol/oidc/OIDCLoginProtocolFactory.java", map[string]any{
		"sub": "f3b1", "resource_access": map[string]any{"notices.example.com": map[string]any{"roles": []any{"notices"}}},
	}, nil, "resource_access.notices.example.com.roles", true, "", ""},
	{"Authelia", "https://www.authelia.com/integration/openid-connect/openid-connect-1.0-claims/", map[string]any{
		"sub": "5ce1", "amr": []any{"pwd"}, "azp": ClientID,
	}, map[string]any{"name": "Jane Doe", "groups": []any{"admins", "notices"}, "email": "jane@example.com", "email_verified": true}, "groups", true, "Jane Doe", "jane@example.com"},
	{"authentik", "https://docs.goauthentik.io/add-secure-apps/providers/property-mappings/", map[string]any{
		"sub": "9a1f", "name": "Jane Doe", "groups": []any{"authentik Admins"}, "email": "root@localhost", "email_verified": false,
	}, nil, "groups", false, "Jane Doe", ""},
	{"Entra ID, in more groups than a token holds", "https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference#groups-overage-claim", map[string]any{
		"sub": "AAAA", "oid": "690222be", "name": "Jane Doe", "_claim_names": map[string]any{"groups": "src1"},
		"_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://graph.example.com/getMemberObjects"}},
	}, map[string]any{"name": "Jane Doe", "email": "jane@example.com"}, "groups", false, "Jane Doe", "jane@example.com"},
	{"Google", "https://developers.google.com/identity/openid-connect/openid-connect#obtainuserinfo", map[string]any{
		"sub": "10769150350006150715113082367", "hd": "example.com", "email": "jane@example.com", "email_verified": true,
	}, map[string]any{"name": "Jane Doe", "picture": "https://example.com/p.jpg"}, "groups", false, "Jane Doe", "jane@example.com"},
	{"Cognito, whose userinfo says true as a text", "https://github.com/zitadel/oidc/issues/137", map[string]any{
		"sub": "aaaa", "token_use": "id", "cognito:username": "jane", "cognito:groups": []any{"notices"},
	}, map[string]any{"name": "Jane Doe", "email": "jane@example.com", "email_verified": "true"}, "cognito:groups", true, "Jane Doe", "jane@example.com"},
	{"Auth0, with a claim of a namespace", "https://auth0.com/docs/secure/tokens/json-web-tokens/create-custom-claims", map[string]any{
		"sub": "auth0|5f7c", "name": "Jane Doe", "email": "jane@example.com", "email_verified": true, "https://example.com/roles": []any{"notices"},
	}, nil, "https://example.com/roles", true, "Jane Doe", "jane@example.com"},
	{"AD FS, in one group", "https://github.com/dexidp/dex/pull/2639", map[string]any{
		"sub": "jvKL", "unique_name": "Doe, Jane", "name": "Jane Doe", "email": "jane@example.com", "group": "notices",
	}, nil, "group", true, "Jane Doe", "jane@example.com"},
	{"Okta", "https://help.okta.com/en-us/Content/topics/security/api-config-claims.htm", map[string]any{
		"sub": "00uid4BxXw6I6TV4m0g3", "name": "Jane Doe", "preferred_username": "jane@example.com",
	}, map[string]any{"groups": []any{"Everyone", "notices"}, "email": "jane@example.com"}, "groups", true, "Jane Doe", "jane@example.com"},
	{"GitLab", "https://docs.gitlab.com/integration/openid_connect_provider/", map[string]any{
		"sub": "41", "name": "Jane Doe", "email": "jane@example.com", "email_verified": true, "groups_direct": []any{"notices"},
	}, map[string]any{"groups": []any{"notices", "notices/sub"}, "email": "jane@example.com", "email_verified": true}, "groups", true, "Jane Doe", "jane@example.com"},
	{"Zitadel, as its documentation writes roles", "https://zitadel.com/docs/apis/openidoauth/claims", map[string]any{
		"sub": "170848145649959169", "urn:zitadel:iam:org:project:roles": []any{map[string]any{"notices": map[string]any{"1708": "example.com"}}},
	}, map[string]any{"name": "Jane Doe", "email": "jane@example.com", "email_verified": true}, "urn:zitadel:iam:org:project:roles", true, "Jane Doe", "jane@example.com"},
	{"Zitadel, as tokens have them", "https://github.com/zitadel/actions/blob/main/examples/custom_roles.js", map[string]any{
		"sub": "170848145649959169", "urn:zitadel:iam:org:project:roles": map[string]any{"notices": map[string]any{"1708": "example.com"}},
	}, map[string]any{"name": "Jane Doe", "email": "jane@example.com", "email_verified": true}, "urn:zitadel:iam:org:project:roles", true, "Jane Doe", "jane@example.com"},
	{"Dex", "https://dexidp.io/docs/configuration/custom-scopes-claims-clients/", map[string]any{
		"sub": "CgcyMzQyNzQ5EgZnaXRodWI", "name": "Jane Doe", "email": "jane@bücher.example", "email_verified": true, "groups": []any{"admins", "notices"},
	}, nil, "groups", true, "Jane Doe", "jane@xn--bcher-kva.example"},
}
