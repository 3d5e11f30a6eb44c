<?php
// Calls the endpoint without and with a user.
namespace Illuminate\Http {
    class Request
    {
        public function __construct(private $user) {}
        public function user() { return $this->user; }
    }
}

namespace Illuminate\Support\Facades {
    class Route
    {
        public static $action;
        public static function get($path, $action) { self::$action = $action; }
    }
}

namespace {
    class User
    {
        public function __construct(public $name) {}
        public function getAuthIdentifier() { return 42; }
    }
    class Reply
    {
        public function json($data) { echo json_encode($data), "\n"; return $this; }
        public function header($name, $value) { return $this; }
    }
    class Abort extends Exception {}
    function abort_unless($ok, $status) { if (!$ok) { throw new Abort((string) $status); } }
    function config($key) { return $key === 'services.carillon.token_key' ? getenv('CARILLON_TOKEN_KEY') : null; }
    function response() { return new Reply; }

    require $argv[1];
    $action = Illuminate\Support\Facades\Route::$action;
    try {
        $action(new Illuminate\Http\Request(null));
    } catch (Abort $e) {
        echo $e->getMessage(), "\n";
    }
    $action(new Illuminate\Http\Request(new User(getenv('NAME'))));
}
