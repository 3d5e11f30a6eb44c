# frozen_string_literal: true

# A client of Carillon, the notification centre beside your application.
module Carillon
end

require_relative "carillon/client"
require_relative "carillon/signing"
