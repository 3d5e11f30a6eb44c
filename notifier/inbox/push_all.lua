-- push_all.lua: run one command with any number of arguments, a thousand at a time.
--
-- shared
--
-- Returns nothing.
local function push_all(command, key, args)
  for first = 1, #args, 1000 do
    redis.call(command, key, unpack(args, first, math.min(first + 999, #args)))
  end
end
