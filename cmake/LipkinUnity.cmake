# Half of what a file costs the compiler is reading headers, so files that include the same ones are compiled together, in
# batches. What they name in anonymous namespaces must not collide then: the compiler says so where it does.
option(LIPKIN_UNITY "Compile files in batches: cheaper, but a change of one file compiles its batch" ON)

# lipkin_batch(target [size]): batches of `size` files; without it as the UNITY_GROUP of each file says.
function(lipkin_batch target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD "${LIPKIN_UNITY}")
  if(ARGC GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARGV1})
  else()
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  endif()
endfunction()
