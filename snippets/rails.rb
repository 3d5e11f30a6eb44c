# In config/routes.rb: get "/carillon/token", to: "carillon#token"
# app/controllers/carillon_controller.rb
class CarillonController < ApplicationController
  def token
    return head :unauthorized unless current_user

    key, now = ENV.fetch("CARILLON_TOKEN_KEY"), Time.now.to_i
    header = { alg: "HS256", kid: key.split(".").first }
    claims = { sub: current_user.id.to_s, name: current_user.name, aud: "carillon", iat: now, exp: now + 900 }
    signed = "#{encode(header.to_json)}.#{encode(claims.to_json)}"
    response.headers["Cache-Control"] = "no-store"
    render json: { token: "#{signed}.#{encode(OpenSSL::HMAC.digest("SHA256", key, signed))}" }
  end

  private

  def encode(data) = [data].pack("m0").tr("+/", "-_").delete("=")
end
