<?php

declare(strict_types=1);

namespace Carillon;

/** A message or receipt that Carillon did not sign, that was changed, or that is too old. */
final class InvalidSignature extends \RuntimeException
{
}
