# frozen_string_literal: true

# Makes the calls that it reads from standard input, one JSON object a line, for the test of all clients.

require "carillon"

client = Carillon::Client.new

$stdin.each_line do |line|
  call = JSON.parse(line)
  args = call["args"]
  begin
    result =
      case call["call"]
      when "verify_webhook" then Carillon.verify_webhook(*args)
      when "verify_receipt" then Carillon.verify_receipt(*args)
      when "user_token" then Carillon.user_token(args[0], args[1], name: args[2])
      when "send" then client.send_notice(*args)
      else client.public_send(call["call"], *args)
      end
    answer = { result: result }
  rescue Carillon::Error => e
    answer = { status: e.status, code: e.code, fields: e.errors.map { |field| field["location"] } }
  rescue Carillon::InvalidWebhook, Carillon::InvalidReceipt
    answer = { invalid: true }
  end
  puts JSON.generate(answer)
  $stdout.flush
end
