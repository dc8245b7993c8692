local MiniTest = require('mini.test')
local eq = MiniTest.expect.equality
local fault = require('pillion.fault')
local listeners = require('pillion.listeners')

local T = MiniTest.new_set()

T['they hear their name alone, in their order, until they are taken off'] = function()
  local heard, said = listeners.new(), {}
  local function hears(who)
    return function(detail)
      said[#said + 1] = who .. detail
    end
  end
  local off = heard:on('asks', hears('a'))
  heard:on('asks', hears('b'))
  heard:on('calls', hears('c'))
  heard:tell('asks', 1)
  off()
  off()
  heard:tell('asks', 2)
  heard:tell('nobody', 3)
  eq(said, { 'a1', 'b1', 'b2' })
end

T['one that leaves while it is told, or that is broken, keeps none from hearing'] = function()
  local heard, said, off = listeners.new(), {}, nil
  off = heard:on('asks', function()
    off()
  end)
  heard:on('asks', function()
    error('broken on purpose')
  end)
  heard:on('asks', function()
    said[#said + 1] = 'last'
  end)
  local report, told = fault.report, {}
  fault.report = function(problem)
    told[#told + 1] = problem:match('broken on purpose')
  end
  heard:tell('asks')
  heard:tell('asks')
  fault.report = report
  eq(said, { 'last', 'last' })
  eq(told, { 'broken on purpose', 'broken on purpose' })
end

return T
