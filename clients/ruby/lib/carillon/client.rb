# frozen_string_literal: true

require "erb"
require "json"
require "net/http"
require "securerandom"
require "uri"

module Carillon
  # A call that failed.
  class Error < StandardError
    # The HTTP status, or 0 if there was no response.
    attr_reader :status
    # Identifies the error for programs.
    attr_reader :code
    # The invalid fields, each with location, message and code.
    attr_reader :errors
    # In seconds, if the server named a time.
    attr_reader :retry_after

    def initialize(message, status: 0, problem: {}, retry_after: nil)
      super(message)
      @status = status
      @code = problem["code"].to_s
      @errors = problem["errors"] || []
      @retry_after = retry_after
    end
  end

  # Calls of the API for applications, which are repeated safely after a failure. Bodies and answers are hashes, as in JSON: /api/v1/docs of
  # your server describes them. A client may be used by several threads.
  class Client
    # What may succeed a moment later: too many requests, and a server or proxy that is away. 0 means no response.
    TEMPORARY = [0, 429, 500, 502, 503, 504].freeze
    # In seconds. A longer Retry-After is the caller's to wait for.
    LONGEST_PAUSE = 60
    NO_RESPONSE = [SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError,
                   Net::HTTPBadResponse, JSON::ParserError].freeze
    private_constant :TEMPORARY, :LONGEST_PAUSE, :NO_RESPONSE

    # +url+ is the server, with the path under which it is mounted. +timeout+ is the time to wait for a response, in seconds, and +retries+ how
    # often a call is repeated after a failure that may pass.
    def initialize(url: ENV.fetch("CARILLON_URL"), key: ENV.fetch("CARILLON_API_KEY"), timeout: 30, retries: 4)
      @url = "#{url.chomp("/")}/api/v1"
      @key = key
      @timeout = timeout
      @retries = retries
    end

    # Sends a notice. Once it returns, the notice is stored and will be delivered. Repetitions by the client send nothing twice; give a key of
    # your own, such as the id of a job, if your program may repeat the call as well.
    def send_notice(notice, idempotency_key: SecureRandom.uuid)
      call(:Post, "/notices", notice, once: idempotency_key)
    end

    # Returns who would get a notice if it were sent now, and sends nothing.
    def dry_run(notice) = call(:Post, "/notices?dry_run=1", notice)

    # Sends up to 1,000 notices. The results are in the same order; a refused notice has an error.
    def send_all(notices, idempotency_key: SecureRandom.uuid)
      call(:Post, "/notices/batch", { notices: notices }, once: idempotency_key)["results"]
    end

    # Returns a notice, and how far its delivery and reading are.
    def notice(id) = call(:Get, "/notices/#{Integer(id)}")

    # Returns why a user got a notice, or did not.
    def why(id, user) = call(:Get, "/notices/#{Integer(id)}/why?user=#{quote(user)}")

    # Removes a notice from all inboxes.
    def retract(id)
      call(:Delete, "/notices/#{Integer(id)}")
      nil
    end

    # Asks people. wait returns what they chose.
    def ask(question, idempotency_key: SecureRandom.uuid)
      call(:Post, "/asks", question, once: idempotency_key)
    end

    # Waits for the end of a question, for +timeout+ seconds or, without one, as long as it takes. The question that it returns is open if the
    # time was too short.
    def wait(id, timeout: nil)
      limit = timeout && (now + timeout)
      loop do
        seconds = limit ? (limit - now).clamp(0, 55).ceil : 55
        asked = call(:Get, "/asks/#{Integer(id)}?wait=#{seconds}", longer: seconds)
        return asked if asked["state"] != "open" || (limit && now >= limit)
      end
    end

    # Ends an open question without an outcome.
    def withdraw(id)
      call(:Delete, "/asks/#{Integer(id)}")
      nil
    rescue Error => e
      # An earlier try may have withdrawn it, and its response was lost.
      raise if e.code != "ask_ended" || call(:Get, "/asks/#{Integer(id)}")["state"] != "withdrawn"
    end

    # Creates a user, or changes what +change+ names.
    def put_user(name, change = {}) = call(:Put, "/users/#{quote(name)}", change)

    # Returns a user.
    def user(name) = call(:Get, "/users/#{quote(name)}")

    # Deletes a user and what was sent to them alone. It is no error if there is no such user.
    def delete_user(name)
      call(:Delete, "/users/#{quote(name)}")
      nil
    rescue Error => e
      raise if e.status != 404
    end

    # Returns the numbers of a user's bell.
    def badge(name) = call(:Get, "/users/#{quote(name)}/badge")

    # Returns the keys for Carillon.verify_receipt. Keep them for some hours; they change seldom.
    def receipt_keys = call(:Get, "/receipts/jwks.json")

    # Keeps the API key out of logs.
    def inspect = "#<#{self.class} #{@url}>"

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def quote(name) = ERB::Util.url_encode(name)

    def call(method, path, body = nil, once: nil, longer: 0)
      uri = URI(@url + path)
      request = Net::HTTP.const_get(method).new(uri)
      request["Authorization"] = "Bearer #{@key}"
      request["Idempotency-Key"] = once if once
      if body
        request["Content-Type"] = "application/json"
        request.body = JSON.generate(body)
      end
      tries = 0
      begin
        try(uri, request, longer)
      rescue Error => e
        pause = e.retry_after || (0.5 * (2**tries) * rand(0.8..1.2))
        raise if !TEMPORARY.include?(e.status) || tries >= @retries || pause > LONGEST_PAUSE

        tries += 1
        sleep(pause)
        retry
      end
    end

    def try(uri, request, longer)
      # Net::HTTP repeats some calls by itself, but not those that have an Idempotency-Key.
      options = { use_ssl: uri.scheme == "https", open_timeout: @timeout, read_timeout: @timeout + longer, max_retries: 0 }
      response = Net::HTTP.start(uri.host, uri.port, options) { |http| http.request(request) }
      raise refused(response) unless response.is_a?(Net::HTTPSuccess)

      response.body.to_s.empty? ? nil : JSON.parse(response.body)
    rescue *NO_RESPONSE => e
      raise Error, "#{request.method} #{uri.path}: #{e.message}"
    end

    def refused(response)
      begin
        problem = JSON.parse(response.body.to_s)
      rescue JSON::ParserError
        problem = nil # the answer of a proxy
      end
      problem = {} unless problem.is_a?(Hash)
      message = "#{response.code} #{problem["detail"] || problem["title"] || response.message}"
      (problem["errors"] || []).each { |field| message += "; #{field["location"]}: #{field["message"]}" }
      after = response["Retry-After"]
      Error.new(message, status: response.code.to_i, problem: problem, retry_after: after&.match?(/\A\d+\z/) ? after.to_i : nil)
    end
  end
end
