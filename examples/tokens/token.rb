# CARILLON_TOKEN_KEY=tk_… ruby token.rb 42 'Ann Archer'
require "json"
require "openssl"

key, now = ENV.fetch("CARILLON_TOKEN_KEY"), Time.now.to_i
header = { alg: "HS256", kid: key.split(".").first }
claims = { sub: ARGV[0], name: ARGV[1], aud: "carillon", iat: now, exp: now + 900 }
encode = ->(data) { [data].pack("m0").tr("+/", "-_").delete("=") }
signed = "#{encode.(header.to_json)}.#{encode.(claims.to_json)}"
puts "#{signed}.#{encode.(OpenSSL::HMAC.digest("SHA256", key, signed))}"
