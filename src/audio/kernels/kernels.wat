;; Kernels: the inner loops over all samples of a programme, vectorized (SIMD). Tests compare them with plain TypeScript
;; references that process one sample after the other. Call them through KernelMemory.ts only.
;;
;; Pointers are byte offsets in the module's own memory; samples are 32-bit floats. Each loop takes a fixed number of
;; samples per step. Unless stated otherwise, a count that is not a multiple of it is rounded up. The kernel then also
;; reads and writes beyond the end, so callers leave space there.
(module
  (memory (export "memory") 1024)

  ;; Returns the highest absolute value of `count` samples: 8 per step, the rest one by one.
  (func $loudest (export "loudest") (param $in i32) (param $count i32) (result f32)
    (local $end i32) (local $a v128) (local $b v128) (local $highest f32)
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.gt_u (i32.add (local.get $in) (i32.const 32)) (local.get $end)))
        (local.set $a (f32x4.pmax (local.get $a) (f32x4.abs (v128.load (local.get $in)))))
        (local.set $b (f32x4.pmax (local.get $b) (f32x4.abs (v128.load offset=16 (local.get $in)))))
        (local.set $in (i32.add (local.get $in) (i32.const 32)))
        (br $next)))
    (local.set $a (f32x4.pmax (local.get $a) (local.get $b)))
    (local.set $highest
      (f32.max
        (f32.max (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
        (f32.max (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (local.set $highest (f32.max (local.get $highest) (f32.abs (f32.load (local.get $in)))))
        (local.set $in (i32.add (local.get $in) (i32.const 4)))
        (br $next)))
    (local.get $highest))

  ;; Doubles the rate: writes each of `count` samples from `line` on, followed by the one halfway to the next; 16 per
  ;; step. `pairs` samples before and after are read, weighted in pairs, nearest first. A stretch of 1,024 samples is
  ;; skipped if it and all that is read for it are silent.
  (func (export "doubled")
    (param $line i32) (param $out i32) (param $count i32) (param $weights i32) (param $pairs i32)
    (local $end i32) (local $stretch i32) (local $left i32) (local $right i32) (local $weight i32) (local $last i32) (local $zero v128)
    (local $w v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $x v128)
    (local.set $end (i32.add (local.get $line) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $last (i32.add (local.get $weights) (i32.shl (local.get $pairs) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $line) (local.get $end)))
        (local.set $stretch (i32.add (local.get $line) (i32.const 4096)))
        (local.set $stretch
          (select (local.get $stretch) (local.get $end) (i32.lt_u (local.get $stretch) (local.get $end))))
        (if
          (f32.eq
            (call $loudest
              (i32.sub (local.get $line) (i32.shl (local.get $pairs) (i32.const 2)))
              (i32.add
                (i32.shr_u (i32.sub (local.get $stretch) (local.get $line)) (i32.const 2))
                (i32.shl (local.get $pairs) (i32.const 1))))
            (f32.const 0))
          (then
            (memory.fill
              (local.get $out)
              (i32.const 0)
              (i32.shl (i32.sub (local.get $stretch) (local.get $line)) (i32.const 1)))
            (local.set $out
              (i32.add (local.get $out) (i32.shl (i32.sub (local.get $stretch) (local.get $line)) (i32.const 1))))
            (local.set $line (local.get $stretch)))
          (else
            (loop $more
              (local.set $left (local.get $line))
              (local.set $right (i32.add (local.get $line) (i32.const 4)))
              (local.set $weight (local.get $weights))
              (local.set $a (local.get $zero))
              (local.set $b (local.get $zero))
              (local.set $c (local.get $zero))
              (local.set $d (local.get $zero))
              (loop $pair
                (local.set $w (v128.load32_splat (local.get $weight)))
                (local.set $a
                  (f32x4.add (local.get $a)
                    (f32x4.mul (local.get $w) (f32x4.add (v128.load (local.get $left)) (v128.load (local.get $right))))))
                (local.set $b
                  (f32x4.add (local.get $b)
                    (f32x4.mul (local.get $w) (f32x4.add (v128.load offset=16 (local.get $left)) (v128.load offset=16 (local.get $right))))))
                (local.set $c
                  (f32x4.add (local.get $c)
                    (f32x4.mul (local.get $w) (f32x4.add (v128.load offset=32 (local.get $left)) (v128.load offset=32 (local.get $right))))))
                (local.set $d
                  (f32x4.add (local.get $d)
                    (f32x4.mul (local.get $w) (f32x4.add (v128.load offset=48 (local.get $left)) (v128.load offset=48 (local.get $right))))))
                (local.set $left (i32.sub (local.get $left) (i32.const 4)))
                (local.set $right (i32.add (local.get $right) (i32.const 4)))
                (local.set $weight (i32.add (local.get $weight) (i32.const 4)))
                (br_if $pair (i32.lt_u (local.get $weight) (local.get $last))))
              (local.set $x (v128.load (local.get $line)))
              (v128.store (local.get $out)
                (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $x) (local.get $a)))
              (v128.store offset=16 (local.get $out)
                (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $x) (local.get $a)))
              (local.set $x (v128.load offset=16 (local.get $line)))
              (v128.store offset=32 (local.get $out)
                (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $x) (local.get $b)))
              (v128.store offset=48 (local.get $out)
                (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $x) (local.get $b)))
              (local.set $x (v128.load offset=32 (local.get $line)))
              (v128.store offset=64 (local.get $out)
                (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $x) (local.get $c)))
              (v128.store offset=80 (local.get $out)
                (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $x) (local.get $c)))
              (local.set $x (v128.load offset=48 (local.get $line)))
              (v128.store offset=96 (local.get $out)
                (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $x) (local.get $d)))
              (v128.store offset=112 (local.get $out)
                (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $x) (local.get $d)))
              (local.set $line (i32.add (local.get $line) (i32.const 64)))
              (local.set $out (i32.add (local.get $out) (i32.const 128)))
              (br_if $more (i32.lt_u (local.get $line) (local.get $stretch))))))
        (br $next))))

  ;; Resamples to `count` samples. Each is the sum of `taps` samples (a multiple of 8), weighted by one of the filter's
  ;; `up` phases. The first begins at `line` with phase `phase`. Each next one is `down` phases further on; `up` phases
  ;; are one sample. Samples `up` apart have the same weights, so three of them are computed at a time.
  (func (export "sampled")
    (param $line i32) (param $out i32) (param $count i32)
    (param $filter i32) (param $taps i32) (param $up i32) (param $down i32) (param $phase i32)
    (local $end i32) (local $in i32) (local $weight i32) (local $last i32) (local $zero v128) (local $a v128) (local $b v128)
    (local $row i32) (local $in1 i32) (local $in2 i32) (local $to i32) (local $w v128) (local $v v128)
    (local $a1 v128) (local $b1 v128) (local $a2 v128) (local $b2 v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $taps (i32.shl (local.get $taps) (i32.const 2)))
    (local.set $row (i32.shl (local.get $up) (i32.const 2)))
    (block $few
      (loop $rows
        (br_if $few
          (i32.lt_u (i32.sub (local.get $end) (local.get $out)) (i32.mul (local.get $row) (i32.const 3))))
        (local.set $count (local.get $up))
        (loop $next
          (local.set $in (local.get $line))
          (local.set $in1 (i32.add (local.get $in) (i32.shl (local.get $down) (i32.const 2))))
          (local.set $in2 (i32.add (local.get $in1) (i32.shl (local.get $down) (i32.const 2))))
          (local.set $weight (i32.add (local.get $filter) (i32.mul (local.get $phase) (local.get $taps))))
          (local.set $last (i32.add (local.get $weight) (local.get $taps)))
          (local.set $a (local.get $zero))
          (local.set $b (local.get $zero))
          (local.set $a1 (local.get $zero))
          (local.set $b1 (local.get $zero))
          (local.set $a2 (local.get $zero))
          (local.set $b2 (local.get $zero))
          (loop $tap
            (local.set $w (v128.load (local.get $weight)))
            (local.set $v (v128.load offset=16 (local.get $weight)))
            (local.set $a (f32x4.add (local.get $a) (f32x4.mul (v128.load (local.get $in)) (local.get $w))))
            (local.set $b (f32x4.add (local.get $b) (f32x4.mul (v128.load offset=16 (local.get $in)) (local.get $v))))
            (local.set $a1 (f32x4.add (local.get $a1) (f32x4.mul (v128.load (local.get $in1)) (local.get $w))))
            (local.set $b1
              (f32x4.add (local.get $b1) (f32x4.mul (v128.load offset=16 (local.get $in1)) (local.get $v))))
            (local.set $a2 (f32x4.add (local.get $a2) (f32x4.mul (v128.load (local.get $in2)) (local.get $w))))
            (local.set $b2
              (f32x4.add (local.get $b2) (f32x4.mul (v128.load offset=16 (local.get $in2)) (local.get $v))))
            (local.set $in (i32.add (local.get $in) (i32.const 32)))
            (local.set $in1 (i32.add (local.get $in1) (i32.const 32)))
            (local.set $in2 (i32.add (local.get $in2) (i32.const 32)))
            (local.set $weight (i32.add (local.get $weight) (i32.const 32)))
            (br_if $tap (i32.lt_u (local.get $weight) (local.get $last))))
          (local.set $a (f32x4.add (local.get $a) (local.get $b)))
          (local.set $a1 (f32x4.add (local.get $a1) (local.get $b1)))
          (local.set $a2 (f32x4.add (local.get $a2) (local.get $b2)))
          (local.set $to (local.get $out))
          (f32.store (local.get $to)
            (f32.add
              (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
              (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
          (local.set $to (i32.add (local.get $to) (local.get $row)))
          (f32.store (local.get $to)
            (f32.add
              (f32.add (f32x4.extract_lane 0 (local.get $a1)) (f32x4.extract_lane 1 (local.get $a1)))
              (f32.add (f32x4.extract_lane 2 (local.get $a1)) (f32x4.extract_lane 3 (local.get $a1)))))
          (local.set $to (i32.add (local.get $to) (local.get $row)))
          (f32.store (local.get $to)
            (f32.add
              (f32.add (f32x4.extract_lane 0 (local.get $a2)) (f32x4.extract_lane 1 (local.get $a2)))
              (f32.add (f32x4.extract_lane 2 (local.get $a2)) (f32x4.extract_lane 3 (local.get $a2)))))
          (local.set $out (i32.add (local.get $out) (i32.const 4)))
          (local.set $phase (i32.add (local.get $phase) (local.get $down)))
          (block $there
            (loop $along
              (br_if $there (i32.lt_u (local.get $phase) (local.get $up)))
              (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
              (local.set $line (i32.add (local.get $line) (i32.const 4)))
              (br $along)))
          (br_if $next (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))
        ;; Skips the other two rows.
        (local.set $line (i32.add (local.get $line) (i32.shl (local.get $down) (i32.const 3))))
        (local.set $out (i32.add (local.get $out) (i32.shl (local.get $row) (i32.const 1))))
        (br $rows)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $in (local.get $line))
        (local.set $weight (i32.add (local.get $filter) (i32.mul (local.get $phase) (local.get $taps))))
        (local.set $last (i32.add (local.get $weight) (local.get $taps)))
        (local.set $a (local.get $zero))
        (local.set $b (local.get $zero))
        (loop $tap
          (local.set $a
            (f32x4.add (local.get $a) (f32x4.mul (v128.load (local.get $in)) (v128.load (local.get $weight)))))
          (local.set $b
            (f32x4.add (local.get $b)
              (f32x4.mul (v128.load offset=16 (local.get $in)) (v128.load offset=16 (local.get $weight)))))
          (local.set $in (i32.add (local.get $in) (i32.const 32)))
          (local.set $weight (i32.add (local.get $weight) (i32.const 32)))
          (br_if $tap (i32.lt_u (local.get $weight) (local.get $last))))
        (local.set $a (f32x4.add (local.get $a) (local.get $b)))
        (f32.store (local.get $out)
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
            (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $phase (i32.add (local.get $phase) (local.get $down)))
        (block $there
          (loop $along
            (br_if $there (i32.lt_u (local.get $phase) (local.get $up)))
            (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
            (local.set $line (i32.add (local.get $line) (i32.const 4)))
            (br $along)))
        (br $next))))

  ;; Writes the highest absolute values of `count` interleaved samples to `out`: 12 of them, one for each position in
  ;; groups of 12.
  (func (export "loudestEach") (param $in i32) (param $count i32) (param $out i32)
    (local $end i32) (local $a v128) (local $b v128) (local $c v128)
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.gt_u (i32.add (local.get $in) (i32.const 48)) (local.get $end)))
        (local.set $a (f32x4.pmax (local.get $a) (f32x4.abs (v128.load (local.get $in)))))
        (local.set $b (f32x4.pmax (local.get $b) (f32x4.abs (v128.load offset=16 (local.get $in)))))
        (local.set $c (f32x4.pmax (local.get $c) (f32x4.abs (v128.load offset=32 (local.get $in)))))
        (local.set $in (i32.add (local.get $in) (i32.const 48)))
        (br $next)))
    (v128.store (local.get $out) (local.get $a))
    (v128.store offset=16 (local.get $out) (local.get $b))
    (v128.store offset=32 (local.get $out) (local.get $c))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (f32.store (local.get $out)
          (f32.max (f32.load (local.get $out)) (f32.abs (f32.load (local.get $in)))))
        (local.set $in (i32.add (local.get $in) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next))))

  ;; Adds `count` samples to others that are `stride` bytes apart: 4 per step if they are adjacent, the rest one by one.
  (func (export "added") (param $in i32) (param $out i32) (param $count i32) (param $stride i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $count) (i32.const 2))))
    (if (i32.eq (local.get $stride) (i32.const 4))
      (then
        (block $done
          (loop $next
            (br_if $done (i32.gt_u (i32.add (local.get $in) (i32.const 16)) (local.get $end)))
            (v128.store (local.get $out)
              (f32x4.add (v128.load (local.get $out)) (v128.load (local.get $in))))
            (local.set $in (i32.add (local.get $in) (i32.const 16)))
            (local.set $out (i32.add (local.get $out) (i32.const 16)))
            (br $next)))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (f32.store (local.get $out) (f32.add (f32.load (local.get $out)) (f32.load (local.get $in))))
        (local.set $in (i32.add (local.get $in) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (local.get $stride)))
        (br $next))))

  ;; Adds `count` samples to both channels of as many frames, each channel with its factor, in 64 bits, rounding once.
  (func (export "panned") (param $in i32) (param $out i32) (param $count i32) (param $left f64) (param $right f64)
    (local $end i32) (local $factors v128)
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $factors (f64x2.replace_lane 1 (f64x2.splat (local.get $left)) (local.get $right)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (v128.store64_lane 0 (local.get $out)
          (f32x4.demote_f64x2_zero
            (f64x2.add
              (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $out)))
              (f64x2.mul
                (local.get $factors)
                (f64x2.promote_low_f32x4 (v128.load32_splat (local.get $in)))))))
        (local.set $in (i32.add (local.get $in) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (br $next))))

  ;; Multiplies `count` samples by others, 4 per step.
  (func (export "multiplied") (param $in i32) (param $factors i32) (param $out i32) (param $count i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (v128.store (local.get $out)
          (f32x4.mul (v128.load (local.get $in)) (v128.load (local.get $factors))))
        (local.set $in (i32.add (local.get $in) (i32.const 16)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (local.set $factors (i32.add (local.get $factors) (i32.const 16)))
        (br $next))))

  ;; Multiplies `count` samples by `factor`, 4 per step, in 64 bits, rounding once.
  (func (export "scaled") (param $in i32) (param $out i32) (param $count i32) (param $factor f64)
    (local $end i32) (local $x v128) (local $f v128)
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $f (f64x2.splat (local.get $factor)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (local.set $x (v128.load (local.get $in)))
        (v128.store (local.get $out)
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
            (f32x4.demote_f64x2_zero
              (f64x2.mul (local.get $f) (f64x2.promote_low_f32x4 (local.get $x))))
            (f32x4.demote_f64x2_zero
              (f64x2.mul (local.get $f)
                (f64x2.promote_low_f32x4
                  (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $x) (local.get $x)))))))
        (local.set $in (i32.add (local.get $in) (i32.const 16)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $next))))

  ;; Converts `count` little-endian integers of `width` bytes (2, 3 or 4) to samples, 4 per step.
  (func (export "decoded") (param $in i32) (param $out i32) (param $count i32) (param $width i32)
    (local $end i32) (local $order v128) (local $full v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $full (f32x4.splat (f32.const 0x1p-31)))
    ;; Moves each integer's bytes to the top of 32 bits; -1 gives zeros.
    (local.set $order (v128.const i8x16 -1 0 1 2 -1 3 4 5 -1 6 7 8 -1 9 10 11))
    (if (i32.eq (local.get $width) (i32.const 2))
      (then (local.set $order (v128.const i8x16 -1 -1 0 1 -1 -1 2 3 -1 -1 4 5 -1 -1 6 7))))
    (if (i32.eq (local.get $width) (i32.const 4))
      (then (local.set $order (v128.const i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15))))
    (local.set $width (i32.shl (local.get $width) (i32.const 2)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (v128.store (local.get $out)
          (f32x4.mul
            (f32x4.convert_i32x4_s (i8x16.swizzle (v128.load (local.get $in)) (local.get $order)))
            (local.get $full)))
        (local.set $in (i32.add (local.get $in) (local.get $width)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $next))))

  ;; Rounds `count` samples to 24-bit integers, clamped to full scale, halves up, 4 per step; NaN becomes zero.
  (func (export "rounded") (param $in i32) (param $out i32) (param $count i32)
    (local $end i32) (local $x v128) (local $near v128)
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (local.set $x (f32x4.mul (v128.load (local.get $in)) (f32x4.splat (f32.const 8388608))))
        ;; `nearest` rounds halves to even integers, so some of them lack 1.
        (local.set $near (f32x4.nearest (local.get $x)))
        (local.set $near
          (f32x4.add (local.get $near)
            (v128.and
              (f32x4.eq (f32x4.sub (local.get $x) (local.get $near)) (f32x4.splat (f32.const 0.5)))
              (f32x4.splat (f32.const 1)))))
        (v128.store (local.get $out)
          (i8x16.swizzle
            (i32x4.trunc_sat_f32x4_s
              (f32x4.min
                (f32x4.max (local.get $near) (f32x4.splat (f32.const -8388608)))
                (f32x4.splat (f32.const 8388607))))
            (v128.const i8x16 0 1 2 4 5 6 8 9 10 12 13 14 -1 -1 -1 -1)))
        (local.set $in (i32.add (local.get $in) (i32.const 16)))
        (local.set $out (i32.add (local.get $out) (i32.const 12)))
        (br $next))))

  ;; Rounds `count` samples to 16-bit integers, clamped to full scale, halves up, 8 per step; NaN becomes zero.
  (func (export "rounded16") (param $in i32) (param $out i32) (param $count i32)
    (local $end i32) (local $half v128) (local $one v128) (local $full v128)
    (local $x0 v128) (local $x16 v128) (local $y0 v128) (local $y16 v128)
    (local.set $half (f32x4.splat (f32.const 0.5)))
    (local.set $one (f32x4.splat (f32.const 1)))
    (local.set $full (f32x4.splat (f32.const 32768)))
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (local.set $x0 (f32x4.mul (v128.load (local.get $in)) (local.get $full)))
        (local.set $x16 (f32x4.mul (v128.load offset=16 (local.get $in)) (local.get $full)))
        ;; As in `rounded`.
        (local.set $y0 (f32x4.nearest (local.get $x0)))
        (local.set $y16 (f32x4.nearest (local.get $x16)))
        (v128.store (local.get $out)
          (i16x8.narrow_i32x4_s
            (i32x4.trunc_sat_f32x4_s
              (f32x4.add (local.get $y0)
                (v128.and
                  (f32x4.eq (f32x4.sub (local.get $x0) (local.get $y0)) (local.get $half))
                  (local.get $one))))
            (i32x4.trunc_sat_f32x4_s
              (f32x4.add (local.get $y16)
                (v128.and
                  (f32x4.eq (f32x4.sub (local.get $x16) (local.get $y16)) (local.get $half))
                  (local.get $one))))))
        (local.set $in (i32.add (local.get $in) (i32.const 32)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $next))))

  ;; Returns the dither at `noise` for 4 samples, in integer steps: none for integers if `keeps` is all ones.
  (func $dither (param $value v128) (param $noise i32) (param $keeps v128) (result v128)
    (v128.andnot
      (v128.load (local.get $noise))
      (v128.and (local.get $keeps) (f32x4.eq (local.get $value) (f32x4.nearest (local.get $value))))))

  ;; Converts `count` samples to 16-bit integers with the dither at `noise`, 8 per step. Adding a constant so large that
  ;; no fraction bits are left rounds them. Zero stays zero; NaN becomes zero. If `keeps` is -1, integers stay exact.
  (func (export "dithered")
    (param $in i32) (param $out i32) (param $count i32) (param $noise i32) (param $keeps i32)
    (local $end i32) (local $x0 v128) (local $x16 v128) (local $kept v128) (local $y0 v128) (local $y16 v128)
    (local $full v128) (local $most v128) (local $least v128) (local $shift v128) (local $zero v128)
    (local.set $kept (i32x4.splat (local.get $keeps)))
    (local.set $end (i32.add (local.get $in) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $full (f32x4.splat (f32.const 32768)))
    (local.set $most (f32x4.splat (f32.const 65536)))
    (local.set $least (f32x4.splat (f32.const -65536)))
    (local.set $shift (f32x4.splat (f32.const 0x1.8p23)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (local.set $x0 (v128.load (local.get $in)))
        (local.set $x16 (v128.load offset=16 (local.get $in)))
        (local.set $y0 (f32x4.mul (local.get $x0) (local.get $full)))
        (local.set $y16 (f32x4.mul (local.get $x16) (local.get $full)))
        (v128.store (local.get $out)
          (i16x8.narrow_i32x4_s
            (v128.and
              (i32x4.sub
                (f32x4.add
                  (f32x4.pmin (local.get $most)
                    (f32x4.pmax (local.get $least)
                      (f32x4.add
                        (local.get $y0)
                        (call $dither (local.get $y0) (local.get $noise) (local.get $kept)))))
                  (local.get $shift))
                (local.get $shift))
              (f32x4.gt (f32x4.abs (local.get $x0)) (local.get $zero)))
            (v128.and
              (i32x4.sub
                (f32x4.add
                  (f32x4.pmin (local.get $most)
                    (f32x4.pmax (local.get $least)
                      (f32x4.add
                        (local.get $y16)
                        (call $dither
                          (local.get $y16)
                          (i32.add (local.get $noise) (i32.const 16))
                          (local.get $kept)))))
                  (local.get $shift))
                (local.get $shift))
              (f32x4.gt (f32x4.abs (local.get $x16)) (local.get $zero)))))
        (local.set $noise (i32.add (local.get $noise) (i32.const 32)))
        (local.set $in (i32.add (local.get $in) (i32.const 32)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $next))))

  ;; Returns the highest level between samples and the next, 4 at a time. That is the maximum of both samples, of the
  ;; points at 1/4, 1/2 and 3/4, and of the crests of the parabolas through each three neighbours of these five.
  (func $highest
    (param $here v128) (param $quarter v128) (param $half v128) (param $threeQuarters v128) (param $next v128)
    (result v128)
    (f32x4.pmax
      (f32x4.pmax
        (f32x4.pmax (f32x4.abs (local.get $here)) (f32x4.abs (local.get $next)))
        (f32x4.pmax
          (f32x4.abs (local.get $half))
          (f32x4.pmax (f32x4.abs (local.get $quarter)) (f32x4.abs (local.get $threeQuarters)))))
      (f32x4.pmax
        (f32x4.pmax
          (call $vertex (local.get $here) (local.get $quarter) (local.get $half))
          (call $vertex (local.get $half) (local.get $threeQuarters) (local.get $next)))
        (call $vertex (local.get $quarter) (local.get $half) (local.get $threeQuarters)))))

  ;; Returns the level at the vertex of the parabola through three equidistant points, 4 at a time; 0 if the vertex is
  ;; not between them.
  (func $vertex (param $before v128) (param $at v128) (param $behind v128) (result v128)
    (local $slope v128) (local $bend v128)
    (local.set $slope (f32x4.sub (local.get $before) (local.get $behind)))
    (local.set $bend
      (f32x4.sub
        (f32x4.add (local.get $before) (local.get $behind))
        (f32x4.add (local.get $at) (local.get $at))))
    (v128.and
      (f32x4.abs
        (f32x4.sub (local.get $at)
          (f32x4.div
            (f32x4.mul (local.get $slope) (local.get $slope))
            (f32x4.mul (local.get $bend) (f32x4.splat (f32.const 8))))))
      (v128.and
        (f32x4.lt (f32x4.mul (local.get $at) (local.get $bend)) (f32x4.splat (f32.const 0)))
        (f32x4.le
          (f32x4.abs (local.get $slope))
          (f32x4.abs (f32x4.add (local.get $bend) (local.get $bend)))))))

  ;; Returns the upper limit of the level between 4 samples from `line` on and the next: twice the loudest of the 16
  ;; samples around each.
  (func $most (param $line i32) (result v128)
    (local $last i32) (local $louder v128)
    (local.set $last (i32.add (local.get $line) (i32.const 32)))
    (local.set $line (i32.sub (local.get $line) (i32.const 28)))
    (loop $next
      (local.set $louder (f32x4.pmax (local.get $louder) (f32x4.abs (v128.load (local.get $line)))))
      (local.set $line (i32.add (local.get $line) (i32.const 4)))
      (br_if $next (i32.le_u (local.get $line) (local.get $last))))
    (f32x4.add (local.get $louder) (local.get $louder)))

  ;; Returns 4/3 of what the short filter has `found` between 4 samples from `line` on and the next; 0 from `end` on.
  (func $likely (param $found v128) (param $line i32) (param $end i32) (result v128)
    (v128.and
      (f32x4.mul (local.get $found) (f32x4.splat (f32.const 1.3333334)))
      (i32x4.gt_s
        (i32x4.splat (i32.shr_s (i32.sub (local.get $end) (local.get $line)) (i32.const 2)))
        (v128.const i32x4 0 1 2 3))))

  ;; Finds the highest level between each of `count` samples from `line` on and the next. Writes it to `out` if above
  ;; `least`, else 0. Returns the highest of all, 0 for none; each is limited by `likely` and `most`.
  ;;
  ;; Two filters interpolate, and the higher result counts. The short one has 12 weights each, nearest first: of the
  ;; half, and of the even and odd part of the quarters. The long one has 24 weights each, which follow. It is used only
  ;; where the short one leaves a level above `least` possible. A stretch of 64 samples is skipped if neither it nor the
  ;; 8 samples before and after it exceed half of `least`.
  (func (export "crests")
    (param $line i32) (param $out i32) (param $count i32) (param $weights i32) (param $least f32)
    (result f32)
    (local $end i32) (local $stretch i32) (local $left i32) (local $right i32) (local $weight i32) (local $last i32)
    (local $zero v128) (local $leasts v128) (local $all v128)
    (local $l v128) (local $r v128) (local $sum v128) (local $w v128) (local $crest0 v128) (local $crest1 v128)
    (local $most0 v128) (local $most1 v128) (local $near0 v128) (local $near1 v128)
    (local $half0 v128) (local $even0 v128) (local $odd0 v128) (local $half1 v128) (local $even1 v128) (local $odd1 v128)
    (local.set $end (i32.add (local.get $line) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $leasts (f32x4.splat (local.get $least)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $line) (local.get $end)))
        (local.set $stretch (i32.add (local.get $line) (i32.const 256)))
        (if
          (f32.gt
            (call $loudest
              (i32.sub (local.get $line) (i32.const 28))
              (select
                (i32.const 80)
                (i32.add
                  (i32.shr_u (i32.sub (local.get $end) (local.get $line)) (i32.const 2))
                  (i32.const 15))
                (i32.le_u (local.get $stretch) (local.get $end))))
            (f32.mul (local.get $least) (f32.const 0.5)))
          (then
            (loop $more
              (local.set $near0 (local.get $zero))
              (local.set $near1 (local.get $zero))
              (local.set $weight (local.get $weights))
              (local.set $last (i32.add (local.get $weights) (i32.const 144)))
              (loop $closer
                (local.set $left (local.get $line))
                (local.set $right (i32.add (local.get $line) (i32.const 4)))
                (local.set $half0 (local.get $zero))
                (local.set $half1 (local.get $zero))
                (local.set $even0 (local.get $zero))
                (local.set $even1 (local.get $zero))
                (local.set $odd0 (local.get $zero))
                (local.set $odd1 (local.get $zero))
                (loop $pair
                  (local.set $l (v128.load (local.get $left)))
                  (local.set $r (v128.load (local.get $right)))
                  (local.set $sum (f32x4.add (local.get $l) (local.get $r)))
                  (local.set $w (v128.load32_splat (local.get $weight)))
                  (local.set $half0 (f32x4.add (local.get $half0) (f32x4.mul (local.get $sum) (local.get $w))))
                  (local.set $w (v128.load32_splat offset=4 (local.get $weight)))
                  (local.set $even0 (f32x4.add (local.get $even0) (f32x4.mul (local.get $sum) (local.get $w))))
                  (local.set $w (v128.load32_splat offset=8 (local.get $weight)))
                  (local.set $odd0
                    (f32x4.add (local.get $odd0)
                      (f32x4.mul (f32x4.sub (local.get $l) (local.get $r)) (local.get $w))))
                  (local.set $l (v128.load offset=16 (local.get $left)))
                  (local.set $r (v128.load offset=16 (local.get $right)))
                  (local.set $odd1
                    (f32x4.add (local.get $odd1)
                      (f32x4.mul (f32x4.sub (local.get $l) (local.get $r)) (local.get $w))))
                  (local.set $sum (f32x4.add (local.get $l) (local.get $r)))
                  (local.set $w (v128.load32_splat (local.get $weight)))
                  (local.set $half1 (f32x4.add (local.get $half1) (f32x4.mul (local.get $sum) (local.get $w))))
                  (local.set $w (v128.load32_splat offset=4 (local.get $weight)))
                  (local.set $even1 (f32x4.add (local.get $even1) (f32x4.mul (local.get $sum) (local.get $w))))
                  (local.set $left (i32.sub (local.get $left) (i32.const 4)))
                  (local.set $right (i32.add (local.get $right) (i32.const 4)))
                  (local.set $weight (i32.add (local.get $weight) (i32.const 12)))
                  (br_if $pair (i32.lt_u (local.get $weight) (local.get $last))))
                (local.set $crest0
                  (f32x4.pmax (local.get $near0)
                    (call $highest
                      (v128.load (local.get $line))
                      (f32x4.add (local.get $even0) (local.get $odd0))
                      (local.get $half0)
                      (f32x4.sub (local.get $even0) (local.get $odd0))
                      (v128.load offset=4 (local.get $line)))))
                (local.set $crest1
                  (f32x4.pmax (local.get $near1)
                    (call $highest
                      (v128.load offset=16 (local.get $line))
                      (f32x4.add (local.get $even1) (local.get $odd1))
                      (local.get $half1)
                      (f32x4.sub (local.get $even1) (local.get $odd1))
                      (v128.load offset=20 (local.get $line)))))
                (if (i32.eq (local.get $last) (i32.add (local.get $weights) (i32.const 144)))
                  (then
                    (local.set $most0 (call $likely (local.get $crest0) (local.get $line) (local.get $end)))
                    (local.set $most1
                      (call $likely (local.get $crest1) (i32.add (local.get $line) (i32.const 16)) (local.get $end)))
                    (local.set $near0 (local.get $crest0))
                    (local.set $near1 (local.get $crest1))
                    (local.set $last (i32.add (local.get $last) (i32.const 288)))
                    (if
                      (v128.any_true
                        (f32x4.gt (f32x4.pmax (local.get $most0) (local.get $most1)) (local.get $leasts)))
                      (then
                        (local.set $most0 (f32x4.pmin (local.get $most0) (call $most (local.get $line))))
                        (local.set $most1
                          (f32x4.pmin (local.get $most1) (call $most (i32.add (local.get $line) (i32.const 16)))))
                        (br $closer))))))
              (local.set $crest0
                (v128.and (local.get $crest0)
                  (f32x4.gt (f32x4.pmin (local.get $crest0) (local.get $most0)) (local.get $leasts))))
              (local.set $crest1
                (v128.and (local.get $crest1)
                  (f32x4.gt (f32x4.pmin (local.get $crest1) (local.get $most1)) (local.get $leasts))))
              (v128.store (local.get $out) (local.get $crest0))
              (v128.store offset=16 (local.get $out) (local.get $crest1))
              (local.set $all
                (f32x4.pmax (local.get $all)
                  (f32x4.pmax
                    (f32x4.pmin (local.get $crest0) (local.get $most0))
                    (f32x4.pmin (local.get $crest1) (local.get $most1)))))
              (local.set $line (i32.add (local.get $line) (i32.const 32)))
              (local.set $out (i32.add (local.get $out) (i32.const 32)))
              (br_if $more
                (i32.lt_u (local.get $line)
                  (select (local.get $stretch) (local.get $end) (i32.lt_u (local.get $stretch) (local.get $end)))))))
          (else
            (loop $more
              (v128.store (local.get $out) (local.get $zero))
              (v128.store offset=16 (local.get $out) (local.get $zero))
              (local.set $line (i32.add (local.get $line) (i32.const 32)))
              (local.set $out (i32.add (local.get $out) (i32.const 32)))
              (br_if $more (i32.lt_u (local.get $line) (local.get $stretch))))))
        (br $next)))
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $all)) (f32x4.extract_lane 1 (local.get $all)))
      (f32.max (f32x4.extract_lane 2 (local.get $all)) (f32x4.extract_lane 3 (local.get $all)))))

  ;; K-weights two adjacent channels in 64 bits, one per lane: `count` frames, `stride` bytes apart. `filters` holds the
  ;; coefficients of the first filter (3 for the input, 2 for the state) and of the second one (2 and 2), then its state:
  ;; two values per filter, the last two outputs of the first filter, and the sum of the squared results. Each is a pair.
  (func (export "weighted") (param $in i32) (param $stride i32) (param $count i32) (param $filters i32)
    (local $end i32) (local $x v128) (local $y v128) (local $z v128) (local $a v128)
    (local $s1 v128) (local $s2 v128) (local $t1 v128) (local $t2 v128) (local $y1 v128) (local $y2 v128) (local $sum v128)
    (local.set $end (i32.add (local.get $in) (i32.mul (local.get $count) (local.get $stride))))
    (local.set $s1 (v128.load offset=144 (local.get $filters)))
    (local.set $s2 (v128.load offset=160 (local.get $filters)))
    (local.set $t1 (v128.load offset=176 (local.get $filters)))
    (local.set $t2 (v128.load offset=192 (local.get $filters)))
    (local.set $y1 (v128.load offset=208 (local.get $filters)))
    (local.set $y2 (v128.load offset=224 (local.get $filters)))
    (local.set $sum (v128.load offset=240 (local.get $filters)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $in) (local.get $end)))
        (local.set $x (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $in))))
        (local.set $y (f64x2.add (f64x2.mul (v128.load (local.get $filters)) (local.get $x)) (local.get $s1)))
        ;; The second filter uses the first one's output from two frames earlier, so neither waits for the other.
        (local.set $z (f64x2.add (local.get $y2) (local.get $t1)))
        ;; The coefficients are loaded each time: there are too few registers for all.
        (local.set $a (f64x2.mul (v128.load offset=64 (local.get $filters)) (local.get $s1)))
        (local.set $s1
          (f64x2.sub
            (f64x2.add (f64x2.mul (v128.load offset=16 (local.get $filters)) (local.get $x)) (local.get $s2))
            (f64x2.mul (v128.load offset=48 (local.get $filters)) (local.get $s1))))
        (local.set $s2
          (f64x2.sub (f64x2.mul (v128.load offset=32 (local.get $filters)) (local.get $x)) (local.get $a)))
        (local.set $a (f64x2.mul (v128.load offset=128 (local.get $filters)) (local.get $t1)))
        (local.set $t1
          (f64x2.sub
            (f64x2.add (f64x2.mul (v128.load offset=80 (local.get $filters)) (local.get $y2)) (local.get $t2))
            (f64x2.mul (v128.load offset=112 (local.get $filters)) (local.get $t1))))
        (local.set $t2
          (f64x2.sub (f64x2.mul (v128.load offset=96 (local.get $filters)) (local.get $y2)) (local.get $a)))
        (local.set $y2 (local.get $y1))
        (local.set $y1 (local.get $y))
        (local.set $sum (f64x2.add (local.get $sum) (f64x2.mul (local.get $z) (local.get $z))))
        (local.set $in (i32.add (local.get $in) (local.get $stride)))
        (br $next)))
    (v128.store offset=144 (local.get $filters) (local.get $s1))
    (v128.store offset=160 (local.get $filters) (local.get $s2))
    (v128.store offset=176 (local.get $filters) (local.get $t1))
    (v128.store offset=192 (local.get $filters) (local.get $t2))
    (v128.store offset=208 (local.get $filters) (local.get $y1))
    (v128.store offset=224 (local.get $filters) (local.get $y2))
    (v128.store offset=240 (local.get $filters) (local.get $sum)))

  ;; Computes a limiter's gains for `count` frames. `peaks` holds the levels before and after each frame, 0 if
  ;; irrelevant; the higher of the two counts. A gain's reduction (1 - gain) is counted in units of 2^-21. `lacks` holds
  ;; the reductions of the last `window` frames, and space for `count` more.
  ;;
  ;; `queue` is a ring buffer of the reductions that frames need, 16 bytes each: a 64-bit float, in falling order, and
  ;; the frame's number. `state` holds the current reduction (64-bit float), the ring's first and last index, the sum of
  ;; the last reductions, and the next frame's number.
  (func (export "limited")
    (param $peaks i32) (param $gains i32) (param $count i32) (param $lacks i32) (param $window i32)
    (param $queue i32) (param $mask i32) (param $state i32) (param $threshold f64) (param $keep f64)
    (local $end i32) (local $first i32) (local $last i32) (local $sum i32) (local $now i32) (local $new i32)
    (local $place i32) (local $whole i32) (local $peak f64) (local $lack f64) (local $needed f64) (local $share f64)
    (local.set $end (i32.add (local.get $peaks) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $lack (f64.load (local.get $state)))
    (local.set $first (i32.load offset=8 (local.get $state)))
    (local.set $last (i32.load offset=12 (local.get $state)))
    (local.set $sum (i32.load offset=16 (local.get $state)))
    (local.set $now (i32.load offset=20 (local.get $state)))
    (local.set $new (i32.add (local.get $lacks) (i32.shl (local.get $window) (i32.const 2))))
    (local.set $share
      (f64.div (f64.const 1) (f64.mul (f64.convert_i32_s (local.get $window)) (f64.const 2097152))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $peaks) (local.get $end)))
        (local.set $peak
          (f64.promote_f32 (f32.max (f32.load (local.get $peaks)) (f32.load offset=4 (local.get $peaks)))))
        (if (f64.gt (local.get $peak) (f64.const 0))
          (then
            (local.set $needed
              (f64.sub (f64.const 1) (f64.div (local.get $threshold) (local.get $peak))))
            (block $placed
              (loop $pop
                (br_if $placed (i32.eq (local.get $first) (local.get $last)))
                (local.set $place
                  (i32.add (local.get $queue)
                    (i32.shl
                      (i32.and (i32.sub (local.get $last) (i32.const 1)) (local.get $mask))
                      (i32.const 4))))
                (br_if $placed (f64.gt (f64.load (local.get $place)) (local.get $needed)))
                (local.set $last (i32.sub (local.get $last) (i32.const 1)))
                (br $pop)))
            (local.set $place
              (i32.add (local.get $queue)
                (i32.shl (i32.and (local.get $last) (local.get $mask)) (i32.const 4))))
            (f64.store (local.get $place) (local.get $needed))
            (i32.store offset=8 (local.get $place) (local.get $now))
            (local.set $last (i32.add (local.get $last) (i32.const 1)))))
        (local.set $lack (f64.mul (local.get $lack) (local.get $keep)))
        ;; The last hundredth of a decibel is dropped: it is inaudible, and would decay slowly.
        (local.set $lack
          (select (f64.const 0) (local.get $lack) (f64.lt (local.get $lack) (f64.const 0.001))))
        (if (i32.ne (local.get $first) (local.get $last))
          (then
            (local.set $place
              (i32.add (local.get $queue)
                (i32.shl (i32.and (local.get $first) (local.get $mask)) (i32.const 4))))
            (if
              (i32.ge_s
                (i32.sub (local.get $now) (i32.load offset=8 (local.get $place)))
                (local.get $window))
              (then
                (local.set $first (i32.add (local.get $first) (i32.const 1)))
                (local.set $place
                  (i32.add (local.get $queue)
                    (i32.shl (i32.and (local.get $first) (local.get $mask)) (i32.const 4))))))
            (if
              (i32.and
                (i32.ne (local.get $first) (local.get $last))
                (f64.gt (f64.load (local.get $place)) (local.get $lack)))
              (then (local.set $lack (f64.load (local.get $place)))))))
        ;; Adding 2^52 leaves no fraction bits, which rounds: faster than a conversion that checks for overflow.
        (local.set $whole
          (i32.wrap_i64
            (i64.reinterpret_f64
              (f64.add (f64.mul (local.get $lack) (f64.const 2097152)) (f64.const 0x1p52)))))
        (i32.store (local.get $new) (local.get $whole))
        (local.set $sum
          (i32.sub (i32.add (local.get $sum) (local.get $whole)) (i32.load (local.get $lacks))))
        (f32.store (local.get $gains)
          (f32.demote_f64
            (f64.sub (f64.const 1)
              (f64.mul (f64.convert_i32_s (local.get $sum)) (local.get $share)))))
        (local.set $now (i32.add (local.get $now) (i32.const 1)))
        (local.set $peaks (i32.add (local.get $peaks) (i32.const 4)))
        (local.set $gains (i32.add (local.get $gains) (i32.const 4)))
        (local.set $lacks (i32.add (local.get $lacks) (i32.const 4)))
        (local.set $new (i32.add (local.get $new) (i32.const 4)))
        (br $next)))
    (f64.store (local.get $state) (local.get $lack))
    (i32.store offset=8 (local.get $state) (local.get $first))
    (i32.store offset=12 (local.get $state) (local.get $last))
    (i32.store offset=16 (local.get $state) (local.get $sum))
    (i32.store offset=20 (local.get $state) (local.get $now)))

  ;; Scores how unlike the next period each candidate's period is, for periods from `least` to `most`, 8 per step. The
  ;; candidates begin at every 4th value. `low` and `high` are two measures of the sound, `power` is their cumulative
  ;; power at every 2nd value. For each candidate, `best` has 4 lowest scores, one a lane, and their periods. A value
  ;; that is not a number excludes the candidates that read it. The lowest score of each candidate replaces `sums`; its
  ;; period, or 0 if there is none, follows after all scores.
  ;;
  ;; `sums` are cumulative squared differences: for every 4 values, the sums before them, in which candidates begin, then
  ;; the sums before each of them in its own lane, in which the periods of 4 lanes end.
  (func (export "periodScores")
    (param $low i32) (param $high i32) (param $power i32) (param $candidates i32)
    (param $least i32) (param $most i32) (param $quiet f32) (param $bonus f32)
    (param $sums i32) (param $best i32)
    (local $period i32) (local $at i32) (local $end i32) (local $place i32) (local $candidate i32)
    (local $lasts i32) (local $one i32) (local $other i32) (local $next1 i32) (local $next2 i32) (local $skip i32)
    (local $periods v128) (local $calm v128) (local $added v128) (local $excluded v128)
    (local $periods2 v128) (local $calm2 v128) (local $added2 v128) (local $excluded2 v128)
    (local $sum v128) (local $sum2 v128) (local $ends v128) (local $ends2 v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $score v128) (local $lowest v128) (local $held v128) (local $x f32) (local $y f32)
    ;; The first of 4 periods is a multiple of 4, so that periods end where values are counted from.
    (local.set $period (i32.and (local.get $least) (i32.const -4)))
    (block $done
      (loop $next
        (br_if $done (i32.gt_u (local.get $period) (local.get $most)))
        (local.set $periods
          (f32x4.add
            (f32x4.splat (f32.convert_i32_u (local.get $period)))
            (v128.const f32x4 0 1 2 3)))
        (local.set $periods2 (f32x4.add (local.get $periods) (v128.const f32x4 4 4 4 4)))
        (local.set $calm (f32x4.mul (local.get $periods) (f32x4.splat (local.get $quiet))))
        (local.set $added (f32x4.div (f32x4.splat (local.get $bonus)) (local.get $periods)))
        (local.set $excluded
          (v128.or
            (f32x4.lt (local.get $periods) (f32x4.splat (f32.convert_i32_u (local.get $least))))
            (f32x4.gt (local.get $periods) (f32x4.splat (f32.convert_i32_u (local.get $most))))))
        (local.set $calm2 (f32x4.mul (local.get $periods2) (f32x4.splat (local.get $quiet))))
        (local.set $added2 (f32x4.div (f32x4.splat (local.get $bonus)) (local.get $periods2)))
        (local.set $excluded2
          (v128.or
            (f32x4.lt (local.get $periods2) (f32x4.splat (f32.convert_i32_u (local.get $least))))
            (f32x4.gt (local.get $periods2) (f32x4.splat (f32.convert_i32_u (local.get $most))))))
        (local.set $sum (v128.const f32x4 0 0 0 0))
        (local.set $sum2 (local.get $sum))
        (local.set $place (local.get $sums))
        (local.set $one (local.get $low))
        (local.set $other (local.get $high))
        (local.set $skip (i32.shl (local.get $period) (i32.const 2)))
        (local.set $next1 (i32.add (local.get $low) (local.get $skip)))
        (local.set $next2 (i32.add (local.get $high) (local.get $skip)))
        ;; The longest period of the last candidate ends in the last 4 values.
        (local.set $end
          (i32.add
            (local.get $sums)
            (i32.shl
              (i32.add (local.get $candidates) (i32.add (i32.shr_u (local.get $period) (i32.const 2)) (i32.const 1)))
              (i32.const 6))))
        (loop $values
          (v128.store (local.get $place) (local.get $sum))
          (v128.store offset=16 (local.get $place) (local.get $sum2))
          (local.set $ends (local.get $sum))
          (local.set $ends2 (local.get $sum2))
          (local.set $c (v128.load32_splat (local.get $one)))
          (local.set $d (v128.load32_splat (local.get $other)))
          (local.set $a (f32x4.sub (local.get $c) (v128.load (local.get $next1))))
          (local.set $b (f32x4.sub (local.get $d) (v128.load (local.get $next2))))
          (local.set $sum
            (f32x4.add
              (local.get $sum)
              (f32x4.add
                (f32x4.mul (local.get $a) (local.get $a))
                (f32x4.mul (local.get $b) (local.get $b)))))
          (local.set $c (f32x4.sub (local.get $c) (v128.load offset=16 (local.get $next1))))
          (local.set $d (f32x4.sub (local.get $d) (v128.load offset=16 (local.get $next2))))
          (local.set $sum2
            (f32x4.add
              (local.get $sum2)
              (f32x4.add
                (f32x4.mul (local.get $c) (local.get $c))
                (f32x4.mul (local.get $d) (local.get $d)))))
          (local.set $ends
            (i8x16.shuffle 0 1 2 3 20 21 22 23 8 9 10 11 12 13 14 15 (local.get $ends) (local.get $sum)))
          (local.set $ends2
            (i8x16.shuffle 0 1 2 3 20 21 22 23 8 9 10 11 12 13 14 15 (local.get $ends2) (local.get $sum2)))
          (local.set $c (v128.load32_splat offset=4 (local.get $one)))
          (local.set $d (v128.load32_splat offset=4 (local.get $other)))
          (local.set $a (f32x4.sub (local.get $c) (v128.load offset=4 (local.get $next1))))
          (local.set $b (f32x4.sub (local.get $d) (v128.load offset=4 (local.get $next2))))
          (local.set $sum
            (f32x4.add
              (local.get $sum)
              (f32x4.add
                (f32x4.mul (local.get $a) (local.get $a))
                (f32x4.mul (local.get $b) (local.get $b)))))
          (local.set $c (f32x4.sub (local.get $c) (v128.load offset=20 (local.get $next1))))
          (local.set $d (f32x4.sub (local.get $d) (v128.load offset=20 (local.get $next2))))
          (local.set $sum2
            (f32x4.add
              (local.get $sum2)
              (f32x4.add
                (f32x4.mul (local.get $c) (local.get $c))
                (f32x4.mul (local.get $d) (local.get $d)))))
          (local.set $ends
            (i8x16.shuffle 0 1 2 3 4 5 6 7 24 25 26 27 12 13 14 15 (local.get $ends) (local.get $sum)))
          (local.set $ends2
            (i8x16.shuffle 0 1 2 3 4 5 6 7 24 25 26 27 12 13 14 15 (local.get $ends2) (local.get $sum2)))
          (local.set $c (v128.load32_splat offset=8 (local.get $one)))
          (local.set $d (v128.load32_splat offset=8 (local.get $other)))
          (local.set $a (f32x4.sub (local.get $c) (v128.load offset=8 (local.get $next1))))
          (local.set $b (f32x4.sub (local.get $d) (v128.load offset=8 (local.get $next2))))
          (local.set $sum
            (f32x4.add
              (local.get $sum)
              (f32x4.add
                (f32x4.mul (local.get $a) (local.get $a))
                (f32x4.mul (local.get $b) (local.get $b)))))
          (local.set $c (f32x4.sub (local.get $c) (v128.load offset=24 (local.get $next1))))
          (local.set $d (f32x4.sub (local.get $d) (v128.load offset=24 (local.get $next2))))
          (local.set $sum2
            (f32x4.add
              (local.get $sum2)
              (f32x4.add
                (f32x4.mul (local.get $c) (local.get $c))
                (f32x4.mul (local.get $d) (local.get $d)))))
          (local.set $ends
            (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 28 29 30 31 (local.get $ends) (local.get $sum)))
          (local.set $ends2
            (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 28 29 30 31 (local.get $ends2) (local.get $sum2)))
          (local.set $c (v128.load32_splat offset=12 (local.get $one)))
          (local.set $d (v128.load32_splat offset=12 (local.get $other)))
          (local.set $a (f32x4.sub (local.get $c) (v128.load offset=12 (local.get $next1))))
          (local.set $b (f32x4.sub (local.get $d) (v128.load offset=12 (local.get $next2))))
          (local.set $sum
            (f32x4.add
              (local.get $sum)
              (f32x4.add
                (f32x4.mul (local.get $a) (local.get $a))
                (f32x4.mul (local.get $b) (local.get $b)))))
          (local.set $c (f32x4.sub (local.get $c) (v128.load offset=28 (local.get $next1))))
          (local.set $d (f32x4.sub (local.get $d) (v128.load offset=28 (local.get $next2))))
          (local.set $sum2
            (f32x4.add
              (local.get $sum2)
              (f32x4.add
                (f32x4.mul (local.get $c) (local.get $c))
                (f32x4.mul (local.get $d) (local.get $d)))))
          (v128.store offset=32 (local.get $place) (local.get $ends))
          (v128.store offset=48 (local.get $place) (local.get $ends2))
          (local.set $one (i32.add (local.get $one) (i32.const 16)))
          (local.set $other (i32.add (local.get $other) (i32.const 16)))
          (local.set $next1 (i32.add (local.get $next1) (i32.const 16)))
          (local.set $next2 (i32.add (local.get $next2) (i32.const 16)))
          (local.set $place (i32.add (local.get $place) (i32.const 64)))
          (br_if $values (i32.lt_u (local.get $place) (local.get $end))))
        (local.set $candidate (local.get $best))
        (local.set $place (local.get $sums))
        (local.set $lasts (i32.add (local.get $sums) (i32.shl (local.get $period) (i32.const 4))))
        (local.set $one (local.get $power))
        (local.set $end (i32.add (local.get $best) (i32.shl (local.get $candidates) (i32.const 5))))
        (loop $each
          (local.set $lowest (v128.load (local.get $candidate)))
          (local.set $held (v128.load offset=16 (local.get $candidate)))
          (local.set $c (v128.load32_splat (local.get $one)))
          (local.set $at (i32.add (local.get $one) (local.get $skip)))
          (local.set $a
            (f32x4.sub
              (v128.load offset=32 (local.get $lasts))
              (v128.load (local.get $place))))
          (local.set $b (f32x4.sub (v128.load (local.get $at)) (local.get $c)))
          (local.set $score
            (v128.or
              (local.get $excluded)
              (f32x4.add
                (f32x4.div
                  (local.get $a)
                  (f32x4.add
                    (f32x4.mul (local.get $b) (v128.const f32x4 0.5 0.5 0.5 0.5))
                    (local.get $calm)))
                (local.get $added))))
          (local.set $a (f32x4.lt (local.get $score) (local.get $lowest)))
          (local.set $lowest (f32x4.pmin (local.get $lowest) (local.get $score)))
          (local.set $held (v128.bitselect (local.get $periods) (local.get $held) (local.get $a)))
          (local.set $a
            (f32x4.sub
              (v128.load offset=112 (local.get $lasts))
              (v128.load offset=16 (local.get $place))))
          (local.set $b (f32x4.sub (v128.load offset=16 (local.get $at)) (local.get $c)))
          (local.set $score
            (v128.or
              (local.get $excluded2)
              (f32x4.add
                (f32x4.div
                  (local.get $a)
                  (f32x4.add
                    (f32x4.mul (local.get $b) (v128.const f32x4 0.5 0.5 0.5 0.5))
                    (local.get $calm2)))
                (local.get $added2))))
          (local.set $a (f32x4.lt (local.get $score) (local.get $lowest)))
          (local.set $lowest (f32x4.pmin (local.get $lowest) (local.get $score)))
          (local.set $held (v128.bitselect (local.get $periods2) (local.get $held) (local.get $a)))
          (v128.store (local.get $candidate) (local.get $lowest))
          (v128.store offset=16 (local.get $candidate) (local.get $held))
          (local.set $candidate (i32.add (local.get $candidate) (i32.const 32)))
          (local.set $place (i32.add (local.get $place) (i32.const 64)))
          (local.set $lasts (i32.add (local.get $lasts) (i32.const 64)))
          (local.set $one (i32.add (local.get $one) (i32.const 8)))
          (br_if $each (i32.lt_u (local.get $candidate) (local.get $end))))
        (local.set $period (i32.add (local.get $period) (i32.const 8)))
        (br $next)))
    ;; The best lane of each candidate.
    (local.set $place (local.get $sums))
    (local.set $skip (i32.shl (local.get $candidates) (i32.const 2)))
    (local.set $end (i32.add (local.get $sums) (local.get $skip)))
    (loop $each
      (local.set $x (f32.load (local.get $best)))
      (local.set $y (f32.load offset=16 (local.get $best)))
      (if
        (f32.lt (f32.load offset=4 (local.get $best)) (local.get $x))
        (then
          (local.set $x (f32.load offset=4 (local.get $best)))
          (local.set $y (f32.load offset=20 (local.get $best)))))
      (if
        (f32.lt (f32.load offset=8 (local.get $best)) (local.get $x))
        (then
          (local.set $x (f32.load offset=8 (local.get $best)))
          (local.set $y (f32.load offset=24 (local.get $best)))))
      (if
        (f32.lt (f32.load offset=12 (local.get $best)) (local.get $x))
        (then
          (local.set $x (f32.load offset=12 (local.get $best)))
          (local.set $y (f32.load offset=28 (local.get $best)))))
      (f32.store (local.get $place) (local.get $x))
      (f32.store (i32.add (local.get $place) (local.get $skip))
        (select (local.get $y) (f32.const 0) (f32.lt (local.get $x) (f32.const inf))))
      (local.set $best (i32.add (local.get $best) (i32.const 32)))
      (local.set $place (i32.add (local.get $place) (i32.const 4)))
      (br_if $each (i32.lt_u (local.get $place) (local.get $end)))))

  ;; Returns the period from `least` to `most` in which the first samples resemble the next ones most: 16 per step, the
  ;; rest one by one. Returns 0 if no period is in the range. Begins with the one in the middle, likely a good one: other
  ;; periods are given up once their difference is larger.
  (func (export "nearestPeriod") (param $samples i32) (param $least i32) (param $most i32) (result i32)
    (local $period i32) (local $best i32) (local $lowest f32) (local $rest f32) (local $x f32)
    (local $one i32) (local $other i32) (local $whole i32) (local $end i32) (local $following i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $v v128)
    (local.set $lowest (f32.const inf))
    (local.set $period (i32.shr_s (i32.add (local.get $least) (local.get $most)) (i32.const 1)))
    (local.set $following (local.get $least))
    (block $done
      (br_if $done (i32.gt_s (local.get $least) (local.get $most)))
      (loop $next
        (local.set $one (local.get $samples))
        (local.set $end (i32.add (local.get $samples) (i32.shl (local.get $period) (i32.const 2))))
        (local.set $other (local.get $end))
        (local.set $whole
          (i32.add
            (local.get $samples)
            (i32.shl (i32.and (local.get $period) (i32.const -16)) (i32.const 2))))
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (local.get $a))
        (local.set $c (local.get $a))
        (local.set $d (local.get $a))
        (local.set $rest (f32.const 0))
        (block $worse
          (block $last
            (loop $more
              (br_if $last (i32.ge_u (local.get $one) (local.get $whole)))
              (local.set $v
                (f32x4.sub (v128.load (local.get $one)) (v128.load (local.get $other))))
              (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $v) (local.get $v))))
              (local.set $v
                (f32x4.sub (v128.load offset=16 (local.get $one)) (v128.load offset=16 (local.get $other))))
              (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $v) (local.get $v))))
              (local.set $v
                (f32x4.sub (v128.load offset=32 (local.get $one)) (v128.load offset=32 (local.get $other))))
              (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $v) (local.get $v))))
              (local.set $v
                (f32x4.sub (v128.load offset=48 (local.get $one)) (v128.load offset=48 (local.get $other))))
              (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $v) (local.get $v))))
              (local.set $one (i32.add (local.get $one) (i32.const 64)))
              (local.set $other (i32.add (local.get $other) (i32.const 64)))
              ;; Compares after every 128 samples.
              (br_if $more (i32.and (i32.sub (local.get $one) (local.get $samples)) (i32.const 511)))
              (br_if $more
                (f32.le
                  (f32.div
                    (call $total
                      (f32x4.add
                        (f32x4.add (local.get $a) (local.get $b))
                        (f32x4.add (local.get $c) (local.get $d))))
                    (f32.convert_i32_u (local.get $period)))
                  (local.get $lowest)))
              (br $worse)))
          (block $last
            (loop $more
              (br_if $last (i32.ge_u (local.get $one) (local.get $end)))
              (local.set $x (f32.sub (f32.load (local.get $one)) (f32.load (local.get $other))))
              (local.set $rest (f32.add (local.get $rest) (f32.mul (local.get $x) (local.get $x))))
              (local.set $one (i32.add (local.get $one) (i32.const 4)))
              (local.set $other (i32.add (local.get $other) (i32.const 4)))
              (br $more)))
          (local.set $x
            (f32.div
              (f32.add
                (call $total
                  (f32x4.add
                    (f32x4.add (local.get $a) (local.get $b))
                    (f32x4.add (local.get $c) (local.get $d))))
                (local.get $rest))
              (f32.convert_i32_u (local.get $period))))
          (if
            (i32.or
              (f32.lt (local.get $x) (local.get $lowest))
              (i32.and
                (f32.eq (local.get $x) (local.get $lowest))
                (i32.lt_s (local.get $period) (local.get $best))))
            (then
              (local.set $lowest (local.get $x))
              (local.set $best (local.get $period)))))
        (local.set $period (local.get $following))
        (local.set $following (i32.add (local.get $following) (i32.const 1)))
        (br_if $next (i32.le_s (local.get $period) (local.get $most)))))
    (local.get $best))

  (func $total (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; Crossfades `count` samples from `from` to `to`, 4 per step. The gains depend on the likeness of both, which whole
  ;; steps measure. The curve is half a period of a cosine, by a polynomial that is exact to one part in a million.
  (func (export "crossfaded") (param $from i32) (param $to i32) (param $out i32) (param $count i32)
    (local $at i32) (local $whole i32) (local $end i32) (local $first f32) (local $alike f32)
    (local $a v128) (local $b v128) (local $both v128) (local $one v128) (local $other v128)
    (local $index v128) (local $share v128) (local $less v128) (local $y v128) (local $z v128)
    (local.set $end (i32.shl (local.get $count) (i32.const 2)))
    (local.set $whole (i32.and (local.get $end) (i32.const -16)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $whole)))
        (local.set $a (v128.load (i32.add (local.get $from) (local.get $at))))
        (local.set $b (v128.load (i32.add (local.get $to) (local.get $at))))
        (local.set $both (f32x4.add (local.get $both) (f32x4.mul (local.get $a) (local.get $b))))
        (local.set $one (f32x4.add (local.get $one) (f32x4.mul (local.get $a) (local.get $a))))
        (local.set $other (f32x4.add (local.get $other) (f32x4.mul (local.get $b) (local.get $b))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next)))
    (local.set $first (f32.mul (call $total (local.get $one)) (call $total (local.get $other))))
    (local.set $alike
      (if (result f32)
        (f32.gt (local.get $first) (f32.const 0))
        (then
          (f32.max
            (f32.const 0)
            (f32.div (call $total (local.get $both)) (f32.sqrt (local.get $first)))))
        (else (f32.const 1))))
    (local.set $less
      (f32x4.splat (f32.mul (f32.const 2) (f32.sub (f32.const 1) (local.get $alike)))))
    (local.set $share
      (f32x4.splat (f32.div (f32.const 1) (f32.convert_i32_u (local.get $count)))))
    (local.set $index (v128.const f32x4 0.5 1.5 2.5 3.5))
    (local.set $at (i32.const 0))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $y
          (f32x4.sub
            (f32x4.mul (local.get $index) (local.get $share))
            (v128.const f32x4 0.5 0.5 0.5 0.5)))
        (local.set $z (f32x4.mul (local.get $y) (local.get $y)))
        ;; The rising gain.
        (local.set $y
          (f32x4.add
            (v128.const f32x4 0.5 0.5 0.5 0.5)
            (f32x4.mul
              (local.get $y)
              (f32x4.add
                (v128.const f32x4 1.5707910060882568 1.5707910060882568 1.5707910060882568 1.5707910060882568)
                (f32x4.mul
                  (local.get $z)
                  (f32x4.add
                    (v128.const f32x4 -2.583571434020996 -2.583571434020996 -2.583571434020996 -2.583571434020996)
                    (f32x4.mul
                      (local.get $z)
                      (f32x4.add
                        (v128.const f32x4 1.2709494829177856 1.2709494829177856 1.2709494829177856 1.2709494829177856)
                        (f32x4.mul
                          (local.get $z)
                          (v128.const f32x4 -0.2773180305957794 -0.2773180305957794 -0.2773180305957794 -0.2773180305957794))))))))))
        (local.set $a (v128.load (i32.add (local.get $from) (local.get $at))))
        (local.set $b (v128.load (i32.add (local.get $to) (local.get $at))))
        ;; The falling gain.
        (local.set $z (f32x4.sub (v128.const f32x4 1 1 1 1) (local.get $y)))
        (v128.store (i32.add (local.get $out) (local.get $at))
          (f32x4.div
            (f32x4.add
              (f32x4.mul (local.get $z) (local.get $a))
              (f32x4.mul (local.get $y) (local.get $b)))
            (f32x4.sqrt
              (f32x4.sub
                (v128.const f32x4 1 1 1 1)
                (f32x4.mul (f32x4.mul (local.get $y) (local.get $z)) (local.get $less))))))
        (local.set $index (f32x4.add (local.get $index) (v128.const f32x4 4 4 4 4)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next))))

  ;; Averages every `factor` samples: writes `count` means, and the root mean square of what the means leave out. Adds
  ;; up 4 samples per step, and the rest of each one by one.
  (func (export "averaged")
    (param $samples i32) (param $low i32) (param $high i32) (param $count i32) (param $factor i32)
    (local $end i32) (local $whole i32) (local $last i32) (local $sum f32) (local $squares f32) (local $x f32)
    (local $share f32) (local $a v128) (local $b v128) (local $v v128)
    (local.set $share (f32.div (f32.const 1) (f32.convert_i32_u (local.get $factor))))
    (local.set $end (i32.add (local.get $low) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $low) (local.get $end)))
        (local.set $last (i32.add (local.get $samples) (i32.shl (local.get $factor) (i32.const 2))))
        (local.set $whole
          (i32.add
            (local.get $samples)
            (i32.shl (i32.and (local.get $factor) (i32.const -4)) (i32.const 2))))
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (local.get $a))
        (block $rest
          (loop $more
            (br_if $rest (i32.ge_u (local.get $samples) (local.get $whole)))
            (local.set $v (v128.load (local.get $samples)))
            (local.set $a (f32x4.add (local.get $a) (local.get $v)))
            (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $v) (local.get $v))))
            (local.set $samples (i32.add (local.get $samples) (i32.const 16)))
            (br $more)))
        (local.set $a
          (f32x4.add
            (local.get $a)
            (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $a) (local.get $a))))
        (local.set $sum (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 2 (local.get $a))))
        (local.set $b
          (f32x4.add
            (local.get $b)
            (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $b) (local.get $b))))
        (local.set $squares (f32.add (f32x4.extract_lane 0 (local.get $b)) (f32x4.extract_lane 2 (local.get $b))))
        (block $rest
          (loop $more
            (br_if $rest (i32.ge_u (local.get $samples) (local.get $last)))
            (local.set $x (f32.load (local.get $samples)))
            (local.set $sum (f32.add (local.get $sum) (local.get $x)))
            (local.set $squares (f32.add (local.get $squares) (f32.mul (local.get $x) (local.get $x))))
            (local.set $samples (i32.add (local.get $samples) (i32.const 4)))
            (br $more)))
        (local.set $sum (f32.mul (local.get $sum) (local.get $share)))
        (f32.store (local.get $low) (local.get $sum))
        (f32.store (local.get $high)
          (f32.sqrt
            (f32.max
              (f32.const 0)
              (f32.sub
                (f32.mul (local.get $squares) (local.get $share))
                (f32.mul (local.get $sum) (local.get $sum))))))
        (local.set $low (i32.add (local.get $low) (i32.const 4)))
        (local.set $high (i32.add (local.get $high) (i32.const 4)))
        (br $next)))))
