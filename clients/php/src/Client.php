<?php

declare(strict_types=1);

namespace Carillon;

/**
 * Calls of the API for applications, which are repeated safely after a failure. Bodies and answers are arrays, as in JSON: /api/v1/docs
 * of your server describes them.
 */
final class Client
{
    /** What may succeed a moment later: too many requests, and a server or proxy that is away. 0 means no response. */
    private const TEMPORARY = [0, 429, 500, 502, 503, 504];

    /** In seconds. A longer Retry-After is the caller's to wait for. */
    private const LONGEST_PAUSE = 60.0;

    private readonly string $url;

    /**
     * @param string $url     the server, with the path under which it is mounted
     * @param int    $timeout how long to wait for a response, in seconds
     * @param int    $retries how often a call is repeated after a failure that may pass
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] private readonly string $key,
        private readonly int $timeout = 30,
        private readonly int $retries = 4,
    ) {
        $this->url = rtrim($url, '/') . '/api/v1';
    }

    /**
     * Sends a notice. Once it returns, the notice is stored and will be delivered. Repetitions by the client send nothing twice; give a
     * key of your own, such as the id of a job, if your program may repeat the call as well.
     */
    public function send(array $notice, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/notices', $notice, $idempotencyKey ?? self::newKey());
    }

    /** Returns who would get a notice if it were sent now, and sends nothing. */
    public function dryRun(array $notice): array
    {
        return $this->call('POST', '/notices?dry_run=1', $notice);
    }

    /** Sends up to 1,000 notices. The results are in the same order; a refused notice has an error. */
    public function sendAll(array $notices, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/notices/batch', ['notices' => array_values($notices)], $idempotencyKey ?? self::newKey())['results'];
    }

    /** Returns a notice, and how far its delivery and reading are. */
    public function notice(int $id): array
    {
        return $this->call('GET', "/notices/$id");
    }

    /** Returns why a user got a notice, or did not. */
    public function why(int $id, string $user): array
    {
        return $this->call('GET', "/notices/$id/why?user=" . rawurlencode($user));
    }

    /** Removes a notice from all inboxes. */
    public function retract(int $id): void
    {
        $this->call('DELETE', "/notices/$id");
    }

    /** Asks people. wait returns what they chose. */
    public function ask(array $question, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/asks', $question, $idempotencyKey ?? self::newKey());
    }

    /**
     * Waits for the end of a question, for some seconds or, without them, as long as it takes. The question that it returns is open if
     * the time was too short.
     */
    public function wait(int $id, ?float $timeout = null): array
    {
        $until = $timeout === null ? INF : microtime(true) + $timeout;
        do {
            $seconds = (int) ceil(max(0, min(55, $until - microtime(true))));
            $asked = $this->call('GET', "/asks/$id?wait=$seconds", longer: $seconds);
        } while ($asked['state'] === 'open' && microtime(true) < $until);

        return $asked;
    }

    /** Ends an open question without an outcome. */
    public function withdraw(int $id): void
    {
        try {
            $this->call('DELETE', "/asks/$id");
        } catch (CarillonException $e) {
            // An earlier try may have withdrawn it, and its response was lost.
            if ($e->problem !== 'ask_ended' || $this->call('GET', "/asks/$id")['state'] !== 'withdrawn') {
                throw $e;
            }
        }
    }

    /** Creates a user, or changes what $change names. */
    public function putUser(string $name, array $change = []): array
    {
        return $this->call('PUT', '/users/' . rawurlencode($name), (object) $change);
    }

    /** Returns a user. */
    public function user(string $name): array
    {
        return $this->call('GET', '/users/' . rawurlencode($name));
    }

    /** Deletes a user and what was sent to them alone. It is no error if there is no such user. */
    public function deleteUser(string $name): void
    {
        try {
            $this->call('DELETE', '/users/' . rawurlencode($name));
        } catch (CarillonException $e) {
            if ($e->status !== 404) {
                throw $e;
            }
        }
    }

    /** Returns the numbers of a user's bell. */
    public function badge(string $name): array
    {
        return $this->call('GET', '/users/' . rawurlencode($name) . '/badge');
    }

    /** Returns the keys for Signing::verifyReceipt. Keep them for some hours; they change seldom. */
    public function receiptKeys(): array
    {
        return $this->call('GET', '/receipts/jwks.json');
    }

    private static function newKey(): string
    {
        return bin2hex(random_bytes(16));
    }

    private function call(string $method, string $path, array|object|null $body = null, ?string $once = null, int $longer = 0): ?array
    {
        $headers = ["Authorization: Bearer {$this->key}"];
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
        }
        if ($once !== null) {
            $headers[] = "Idempotency-Key: $once";
        }
        $http = [
            'method' => $method, 'header' => $headers, 'timeout' => $this->timeout + $longer, 'ignore_errors' => true,
            'follow_location' => 0, // it would take the API key elsewhere
            'protocol_version' => 1.1,
        ];
        $http['header'][] = 'Connection: close';
        if ($body !== null) {
            $http['content'] = json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        }
        for ($n = 0; ; $n++) {
            try {
                return $this->try($path, $http);
            } catch (CarillonException $e) {
                $pause = $e->retryAfter ?? 0.5 * 2 ** $n * mt_rand(800, 1200) / 1000;
                if (!in_array($e->status, self::TEMPORARY, true) || $n >= $this->retries || $pause > self::LONGEST_PAUSE) {
                    throw $e;
                }
                usleep((int) ($pause * 1e6));
            }
        }
    }

    private function try(string $path, array $http): ?array
    {
        $stream = @fopen($this->url . $path, 'r', false, stream_context_create(['http' => $http]));
        if ($stream === false) {
            throw new CarillonException("{$http['method']} $path: " . (error_get_last()['message'] ?? 'no response'));
        }
        $text = (string) stream_get_contents($stream);
        $about = stream_get_meta_data($stream);
        fclose($stream);
        if ($about['timed_out']) {
            throw new CarillonException("{$http['method']} $path: no response in time");
        }
        [$status, $after] = [0, null];
        foreach ($about['wrapper_data'] as $line) {
            if (preg_match('~^HTTP/\S+ (\d+)~', $line, $found)) {
                $status = (int) $found[1];
            } elseif (preg_match('~^Retry-After:\s*(\d+)\s*$~i', $line, $found)) {
                $after = (float) $found[1];
            }
        }
        $answer = json_decode($text, true);
        if ($status < 200 || $status > 299) {
            throw CarillonException::refused($status, is_array($answer) ? $answer : [], $after);
        }
        if ($text !== '' && !is_array($answer)) {
            throw new CarillonException("{$http['method']} $path: the response is not whole");
        }

        return $answer;
    }
}
