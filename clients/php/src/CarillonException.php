<?php

declare(strict_types=1);

namespace Carillon;

/** A call that failed. */
final class CarillonException extends \RuntimeException
{
    /**
     * @param int    $status     the HTTP status, or 0 if there was no response
     * @param string $problem    identifies the error for programs
     * @param array  $errors     the invalid fields, each with location, message and code
     * @param ?float $retryAfter in seconds, if the server named a time
     */
    public function __construct(
        string $message,
        public readonly int $status = 0,
        public readonly string $problem = '',
        public readonly array $errors = [],
        public readonly ?float $retryAfter = null,
    ) {
        parent::__construct($message, $status);
    }

    /** @internal */
    public static function refused(int $status, array $answer, ?float $retryAfter): self
    {
        $message = "$status " . ($answer['detail'] ?? $answer['title'] ?? '');
        foreach ($answer['errors'] ?? [] as $field) {
            $message .= '; ' . ($field['location'] ?? '') . ': ' . ($field['message'] ?? '');
        }

        return new self($message, $status, $answer['code'] ?? '', $answer['errors'] ?? [], $retryAfter);
    }
}
