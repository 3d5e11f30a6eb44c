# frozen_string_literal: true

require "json"
require "openssl"

# Tokens of users, and the signatures of webhooks and receipts.
module Carillon
  # A message that Carillon did not sign, that was changed, or that is too old.
  class InvalidWebhook < StandardError; end

  # A text that is no receipt of these keys.
  class InvalidReceipt < StandardError; end

  # The DER form of an Ed25519 public key, up to its 32 bytes (RFC 8410).
  ED25519 = ["302a300506032b6570032100"].pack("H*").freeze
  private_constant :ED25519

  module_function

  # Signs a token that says who is signed in to your application, for the elements of its pages. +key+ is the CARILLON_TOKEN_KEY of the app,
  # +user+ the user's id in your application, +name+ what people call them, and +lifetime+ in seconds.
  def user_token(key, user, name: nil, lifetime: 900, claims: {})
    now = Time.now.to_i
    header = { alg: "HS256", kid: key.split(".").first }
    claims = { sub: user, name: name, aud: "carillon", iat: now, exp: now + lifetime, **claims }.compact
    signed = "#{encode(JSON.generate(header))}.#{encode(JSON.generate(claims))}"
    "#{signed}.#{encode(OpenSSL::HMAC.digest("SHA256", key, signed))}"
  end

  # Returns the event of a webhook's message, or raises InvalidWebhook. +secrets+ is what `carillon hook add` printed; give the old and the new
  # one while they are rotated. +headers+ may be those of Rack. +body+ is the body exactly as it was received, +tolerance+ in seconds.
  def verify_webhook(secrets, headers, body, tolerance: 300)
    given = headers.to_h.to_h { |name, value| [name.to_s.downcase.tr("_", "-").delete_prefix("http-"), value.to_s] }
    id, sent, signatures = %w[id timestamp signature].map { |name| given["webhook-#{name}"].to_s }
    raise InvalidWebhook, "the headers webhook-id and webhook-timestamp are missing" if id.empty? || !sent.match?(/\A\d+\z/)
    raise InvalidWebhook, "the message is more than #{tolerance} seconds old, or the clock is wrong" if (Time.now.to_i - sent.to_i).abs > tolerance

    Array(secrets).each do |secret|
      key = secret.delete_prefix("whsec_").unpack1("m0")
      want = "v1,#{[OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{sent}.".b + body.b)].pack("m0")}"
      return JSON.parse(body) if signatures.split.any? { |one| OpenSSL.secure_compare(want, one) }
    end
    raise InvalidWebhook, "no signature is valid"
  end

  # Returns what a receipt proves, or raises InvalidReceipt. +keys+ is what Client#receipt_keys returns.
  def verify_receipt(receipt, keys)
    head, payload, signature, *more = receipt.strip.split(".")
    header = JSON.parse(decode(head.to_s))
    raise InvalidReceipt, "it is no receipt that is signed with Ed25519" if header["alg"] != "EdDSA" || signature.nil? || more.any?

    key = keys["keys"].find { |k| k["kid"] == header["kid"] && k["kty"] == "OKP" && k["crv"] == "Ed25519" }
    raise InvalidReceipt, "the receipt was signed with an unknown key" if key.nil?

    public = OpenSSL::PKey.read(ED25519 + decode(key["x"]))
    raise InvalidReceipt, "the signature is not valid" unless public.verify(nil, decode(signature), "#{head}.#{payload}")

    JSON.parse(decode(payload))
  rescue ArgumentError, JSON::ParserError, OpenSSL::PKey::PKeyError => e
    raise InvalidReceipt, "the receipt is not valid: #{e.message}"
  end

  def encode(data) = [data].pack("m0").tr("+/", "-_").delete("=")

  def decode(text) = (text.tr("-_", "+/") + ("=" * (-text.length % 4))).unpack1("m0")

  private_class_method :encode, :decode
end
