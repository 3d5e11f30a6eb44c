Gem::Specification.new do |s|
  s.name = "carillon-client"
  s.version = "0.1.0"
  s.summary = "Sends notices by Carillon, asks people, and verifies webhooks and receipts."
  s.authors = ["Carillon"]
  s.license = "Apache-2.0"
  s.files = Dir["lib/**/*.rb"]
  s.required_ruby_version = ">= 3.1"
end
