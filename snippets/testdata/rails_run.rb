# Calls the endpoint without and with a user.
require "json"
require "openssl"

class ApplicationController
  User = Struct.new(:id, :name)
  Response = Struct.new(:headers)
  attr_accessor :current_user

  def response = Response.new({})
  def head(status) = puts({ unauthorized: 401 }.fetch(status))
  def render(json:) = puts(json.to_json)
end

require ARGV[0]
controller = CarillonController.new
controller.token
controller.current_user = ApplicationController::User.new(42, ENV["NAME"])
controller.token
