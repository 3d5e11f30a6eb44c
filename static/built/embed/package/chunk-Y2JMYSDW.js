// static/js/clock.js
var timer = {
  random: () => Math.random(),
  after(ms, then) {
    const timer2 = setTimeout(then, ms);
    return () => clearTimeout(timer2);
  }
};
var clock = { now: () => performance.now(), date: () => /* @__PURE__ */ new Date(), ...timer };

export {
  timer,
  clock
};
